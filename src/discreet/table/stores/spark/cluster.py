"""What the engine on Spark needs of a session: a place for what is settled, small tables, errors without a value."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from itertools import count as counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import polars as pl

from discreet.errors import InputError
from discreet.table.no_room import is_disk_full, is_memory_short
from discreet.table.stores.files import Files, refuse
from discreet.table.stores.scratch import Scratch
from discreet.table.stores.spark.starting import private_settings

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

AT_ONCE = 20_000
"""So many rows, or fewer, are counted by all columns in one job."""
MOST_BROADCAST = 500_000
"""A table with at most so many rows is sent to every worker."""
_NUMBERS = counter()
_UNWRITABLE = ("void", "interval", "variant", "geometry", "geography", "time(")
"""Types that Spark does not write to Parquet files."""
_LOST = (
    "SparkContext was shut down",
    "stopped SparkContext",
    "SparkContext has been shutdown",
    "Connection refused",
    "Answer from Java side is empty",
    "Error while sending or receiving",
    "Py4JNetworkError",
    "has been stopped",
    "All masters are unresponsive",
    "NO_ACTIVE_SESSION",
    "SESSION_CLOSED",
    "SESSION_NOT_FOUND",
    "RETRIES_EXCEEDED",
    "failed to connect to all addresses",
    "StatusCode.UNAVAILABLE",
)
_WORKER = ("ExecutorLost", "Checkpoint block", "CHECKPOINT_RDD_BLOCK", "FetchFailed", "Executor heartbeat", "Lost task")


def is_connected(session: object) -> bool:
    """Whether a session is one of Spark Connect; without importing it."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def require_spark() -> None:
    """Refuse to go on without PySpark, what it needs, or Java."""
    try:
        import pyarrow  # noqa: F401
        import pyspark.sql  # noqa: F401
    except ImportError:
        raise InputError("this needs PySpark and PyArrow; install discreet[spark]") from None
    if os.environ.get("SPARK_REMOTE"):  # Java runs elsewhere
        return
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and Path(home, "bin", "java").exists()):
        raise InputError("Spark needs Java, and none was found; install Java 17 or newer, or set JAVA_HOME to it")


@contextlib.contextmanager
def own_interrupts() -> Iterator[None]:
    """Keep what Ctrl-C does here: Spark puts in a handler of its own when it starts."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Cluster:
    """A session of Spark, as the tables of one job use it.

    Parameters
    ----------
    session
        The session.
    scratch
        A folder of this machine; every worker sees it where Spark runs on this machine only.
    name
        What the table is called in messages.

    Attributes
    ----------
    connected
        Whether it is one of Spark Connect: Spark then runs in another program, maybe on another machine, of which no
        folder is known that this one sees, too.
    """

    def __init__(self, session: SparkSession, scratch: Scratch, name: str) -> None:
        self.session, self.scratch, self.name = session, scratch, name
        self.connected = is_connected(session)
        self.local = False
        self.shared: str | None = None
        if not self.connected:
            with saying_spark(name):
                self._context: Any = session.sparkContext
                self.local = str(self._context.master).startswith("local")
                self.shared = self._context.getCheckpointDir()

    @classmethod
    def of(cls, frame: DataFrame, scratch: Scratch, name: str) -> Cluster:
        """Return the session of a DataFrame."""
        return cls(frame.sparkSession, scratch, name)

    @property
    def functions(self) -> Any:
        """The functions on columns that this session's frames take."""
        if self.connected:
            from pyspark.sql.connect import functions as remote

            return remote
        from pyspark.sql import functions

        return functions

    @property
    def window(self) -> Any:
        """What this session's windows are made with."""
        if self.connected:
            from pyspark.sql.connect.window import Window as Remote

            return Remote
        from pyspark.sql import Window

        return Window

    def literal(self, text: str | None) -> Column:
        """Return a text as a column."""
        found: Column = self.functions.lit(text).cast("string")
        return found

    def summed(self, flag: Column) -> Column:
        """Return in how many rows something is so."""
        found: Column = self.functions.sum(self.functions.when(flag, 1).otherwise(0))
        return found

    @classmethod
    def start(cls, scratch: Scratch, name: str, memory: int | None) -> Cluster:
        """Return the session that runs in this program, or a new one, as Spark's own settings want it."""
        require_spark()
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.appName("discreet")
        settings: dict[str, str] = {}
        if not os.environ.get("SPARK_REMOTE"):  # else all that is for whoever runs the server to say
            settings["spark.ui.showConsoleProgress"] = "false"
            if memory is not None:
                settings["spark.driver.memory"] = f"{max(memory >> 20, 512)}m"
        with saying_spark(name):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
                running = SparkSession.getActiveSession()
                with own_interrupts():
                    if settings and running is None and not _is_running():
                        settings |= private_settings(settings)
                    session = (running or builder.config(map={**settings}).getOrCreate()).newSession()
            session.conf.set("spark.sql.caseSensitive", "true")  # a file may have columns A and a
            if running is None and not is_connected(session):
                session.sparkContext.setLogLevel("OFF")
        return cls(session, scratch, name)

    def read(self, files: Files) -> DataFrame:
        """Return the table in some Parquet files of this machine, or of a file system that every worker sees."""
        if files.own and self.connected:
            return self._sent(pl.read_parquet(list(files.paths), hive_partitioning=False))
        paths = [path.absolute().as_uri() for path in files.paths]
        if files.own and not self.local and self.shared is not None:
            paths = [self._uploaded(path) for path in files.paths]
        with saying_spark(self.name):
            return self.session.read.parquet(*paths)

    def small(self, table: pl.DataFrame) -> DataFrame:
        """Return a table of our own, sent to every worker unless it is large."""
        frame = self._sent(table)
        return cast("DataFrame", self.functions.broadcast(frame)) if table.height <= MOST_BROADCAST else frame

    def _sent(self, table: pl.DataFrame) -> DataFrame:
        """Return a table of this program as one of Spark."""
        with saying_spark(self.name):
            return self.session.createDataFrame(table.to_arrow(compat_level=pl.CompatLevel.oldest()))

    def fetch(self, frame: DataFrame) -> pl.DataFrame:
        """Return all rows of a frame."""
        with saying_spark(self.name):
            found = pl.from_arrow(frame.toArrow())
        assert isinstance(found, pl.DataFrame)
        return found

    def counted(
        self, frame: DataFrame, cells: Sequence[Column], rows: int, most: int | None = None
    ) -> Iterator[pl.DataFrame]:
        """Yield how often each value of some columns of one type occurs: tables of `value` and `rows`.

        Few rows are read once for all columns, because a job costs what thousands of rows do. Of many, one column after
        the other is counted, which Spark does in half the time, and at most so many values of it are fetched.
        """
        count = self.functions.count(self.functions.lit(1)).alias("rows")
        if rows > AT_ONCE:
            for cell in cells:
                found = frame.groupBy(cell.alias("value")).agg(count)
                yield self.fetch(found if most is None else found.limit(most))
            return
        names = tuple(f"c{place}" for place in range(len(cells)))
        named = frame.select(*(cell.alias(name) for cell, name in zip(cells, names, strict=True)))
        together = self.fetch(named.unpivot((), names, "column", "value").groupBy("column", "value").agg(count))
        parts = together.partition_by("column", as_dict=True, include_key=False)
        yield from (parts.get((name,), together.clear().drop("column")) for name in names)

    def settled(self, frame: DataFrame) -> DataFrame:
        """Return a frame whose rows are computed now and never again.

        As Parquet files where all workers see a folder; else each worker keeps its part, and a lost one is an error.
        """
        place = self._place()
        with saying_spark(self.name):
            if place is None or not _writable(frame):
                with self._active():
                    return frame.localCheckpoint(eager=True)
            frame.write.parquet(place)
            return self.session.read.schema(frame.schema).parquet(place)

    @contextlib.contextmanager
    def _active(self) -> Iterator[None]:
        """Be the active session for a while: Spark Connect takes what it has settled for that one's."""
        if not self.connected:
            yield
            return
        from pyspark.sql.connect.session import SparkSession as Remote

        held: Any = Remote._active_session
        before = getattr(held, "session", None)
        held.session = self.session
        try:
            yield
        finally:
            held.session = before

    def as_file(self, frame: DataFrame, names: Sequence[str], order: str | None = None) -> Path:
        """Return a scratch file of Parquet on this machine with the rows of a frame, its columns called by some names.

        `order` is a further column of the frame, by which the rows are sorted; the file lacks it.
        """
        place, target = self._place(), self.scratch.new()
        with saying_spark(self.name):
            if not _writable(frame):
                raise InputError(f"{self.name}: has a column of a type that no Parquet file holds; make it text first")
            if place is None:
                found = self.fetch(frame)
                found = found if order is None else found.sort(order).drop(order)
                found.rename(dict(zip(found.columns, names, strict=True))).write_parquet(target)
                return target
            one = frame.coalesce(1) if order is None else frame.repartition(1).sortWithinPartitions(order).drop(order)
            one.toDF(*names).write.parquet(place)
            return self._downloaded(place, target)

    def _place(self) -> str | None:
        """Return a new folder that every worker sees; None where none is known."""
        if self.local:
            return self.scratch.new("").absolute().as_uri()
        return None if self.shared is None else f"{self._shared_folder()}/rows"

    def _path(self, place: str) -> tuple[Any, Any]:
        """Return Hadoop's path of a place and the file system that has it."""
        path = self._context._jvm.org.apache.hadoop.fs.Path(place)
        return path, path.getFileSystem(self._context._jsc.hadoopConfiguration())

    def _shared_folder(self) -> str:
        """Return a new folder that every worker sees and that goes when the program ends."""
        place = f"{self.shared}/discreet-{secrets.token_hex(8)}"
        with saying_spark(self.name):
            path, system = self._path(place)
            system.mkdirs(path)
            system.deleteOnExit(path)  # forgets at once what does not exist yet
        return place

    def _uploaded(self, file: Path) -> str:
        """Return where every worker sees a scratch file of this machine."""
        place = f"{self._shared_folder()}/{file.name}"
        with saying_spark(self.name):
            path, system = self._path(place)
            system.copyFromLocalFile(self._path(file.absolute().as_uri())[0], path)
        return place

    def _downloaded(self, place: str, target: Path) -> Path:
        """Return the only file of a folder, as one of this machine."""
        path, system = self._path(place)
        part = next(
            found.getPath() for found in system.listStatus(path) if found.getPath().getName().startswith("part")
        )
        system.copyToLocalFile(False, part, self._path(target.absolute().as_uri())[0], True)
        return target


def fresh(what: str) -> str:
    """Return a name of a column that no other column of any frame has."""
    return f"{what}_{next(_NUMBERS)}"


def same_columns(names: Sequence[str]) -> None:
    """Refuse names that are not each there once."""
    if len(set(names)) < len(names):
        raise InputError("two columns of the table have the same name")


@contextlib.contextmanager
def saying_spark(what: str) -> Iterator[None]:
    """Turn an error of Spark, which would show values, into one that says what went wrong with `what`."""
    logger = logging.getLogger("SQLQueryContextLogger")  # prints errors as they are
    before, logger.disabled = logger.disabled, True
    try:
        yield
    except (InputError, MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:
        if os.environ.get("DISCREET_DEBUG"):
            raise
        _refuse_spark(what, error)
    finally:
        logger.disabled = before


def _refuse_spark(what: str, error: Exception) -> NoReturn:
    said = f"{type(error).__name__}: {error}"
    if "JAVA_GATEWAY_EXITED" in said:
        raise InputError("Spark could not be started: Java ended at once; Spark needs Java 17 or newer") from None
    if isinstance(error, OSError) or not _is_running() or any(text in said for text in _LOST):
        raise InputError(
            f"{what}: the connection to Spark was lost, or could not be made; nothing was written"
        ) from None
    if "maxResultSize" in said:
        raise InputError(
            f"{what}: what must be fetched is more than spark.driver.maxResultSize; raise it, or count with fewer "
            "columns"
        ) from None
    if any(text in said for text in _WORKER):
        raise InputError(
            f"{what}: Spark lost a worker with rows that were settled; nothing was written. Run it again; with "
            "spark.checkpoint.dir on storage that all workers share, such a loss does no harm"
        ) from None
    if is_disk_full(said) or is_memory_short(said):
        refuse(what, said)
    condition = error.getCondition() if hasattr(error, "getCondition") else None
    raise InputError(
        f"{what}: Spark could not do this ({condition or type(error).__name__}): the table is damaged or has changed, "
        "or the cluster failed; nothing was written"
    ) from None


def _is_running() -> bool:
    """Whether this program has a session of Spark that was not stopped."""
    from pyspark import SparkContext

    remote = sys.modules.get("pyspark.sql.connect.session")
    if remote is not None and remote.SparkSession.getActiveSession() is not None:
        return True
    return SparkContext._active_spark_context is not None


def _writable(frame: DataFrame) -> bool:
    return not any(word in kind for _, kind in frame.dtypes for word in _UNWRITABLE)

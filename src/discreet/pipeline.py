"""The way of the data: open, bind, fit, count, find, carry out, verify, describe.

Nothing comes out unless verification said yes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.audit.before import Before, usefulness_meanwhile
from discreet.audit.describing import describe
from discreet.common.loading_ahead import load_ahead
from discreet.common.showing import Heard, listening
from discreet.common.watch import Progress, Watch
from discreet.errors import (
    BrokenPromise,
    ImpossiblePromise,
    InputError,
    PromiseError,
    TooManySuppressed,
    Undecided,
    Unsettled,
)
from discreet.fit.fitting import (
    bind_to,
    refuse_unread,
    refuse_without_order,
    require_rows,
)
from discreet.fit.persons import repeat_warnings
from discreet.fit.populations import refuse_strangers, with_people
from discreet.ledger.note import LedgerUse, ledger_use
from discreet.ledger.policies import with_person
from discreet.plan.decided import Decided
from discreet.plan.plan import Plan
from discreet.planning.carrying_out import (
    CarriedOut,
    carry_out_again,
    carry_out_profiles,
)
from discreet.planning.deciding import refuse_impossible
from discreet.planning.find import find_plan, loops_for
from discreet.planning.persons import speaking_of_persons
from discreet.planning.prepared import PreparedJob, prepare, prepare_rows
from discreet.policy import Policy, as_policy
from discreet.policy.deciding import asked_ks, without_secrets
from discreet.release import Release
from discreet.table.source import DEFAULT, Opening, Table, open_table
from discreet.verification.deciding import broken_about_secrets
from discreet.verification.promises import check
from discreet.writing.over_time import OverTime

if TYPE_CHECKING:
    from discreet.planning.meeting import KnownPeople


def protect(
    table: Table,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = None,
    time_limit: float | None = None,
    progress: Heard = None,
    engine: str | None = None,
    memory_limit: str | int | None = None,
    key: str | None = None,
    ledger: str | Path | None = None,
    person: str | None = None,
    name: str | None = None,
    secret: str | Path | None = None,
    new_persons: bool = False,
    row_key: str | None = None,
) -> Release:
    """Return a release of `table` that keeps every promise of `policy` and hides little more than it must, verified.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, a relation of DuckDB, a DataFrame of Spark, the path of a file (CSV,
        Parquet, Excel, JSON lines, Arrow, SPSS, Stata, SAS), `FILE#SHEET` or `FILE#TABLE`, a folder or pattern of
        Parquet files, `postgresql://HOST/DATABASE#TABLE`, or `-` for standard input.
    policy
        The policy, a dictionary with what its file would say, or the path of its file.
    seed
        For tests only: which rows are drawn for a sample or suppressed by lot is then the same every time (the
        audit says so). Chance comes from the operating system when absent. The genetic search draws other
        cuts with another seed.
    time_limit
        Seconds after which planning ends with the (safe) result so far.
    progress
        When absent, a bar on a terminal or in a notebook, and nothing where the output is piped; False shows none. A
        function is called now and then with a `Progress`; when it returns False during planning, planning ends with
        the (safe) result so far.
    engine
        `"local"`, `"streaming"`, `"duckdb"` or `"spark"`; what suits the table when absent.
    memory_limit
        How much memory to take, as `"2GB"` or a number of bytes; 60% of the machine's when absent. The local engine
        streams a file that would need more.
    key
        On Spark, a column whose values are all there and each once. It gives the rows an order and numbers, from 1,
        which promises about single cells and attacks need.
    ledger
        The folder of the ledger of earlier releases about the same people, which is made where there is none: every
        promise then holds over all of them together, and `Release.write` records the release there as a draft.
    person
        With a ledger, the column that says who somebody is.
    name
        With a ledger, what the release is called there; the name of its file when absent.
    secret
        With a ledger, the file with its secret, where that does not lie in the ledger.
    new_persons
        With a ledger, that it is right that under half of the persons are known from earlier releases.
    row_key
        With a ledger and a `unit`, the column that tells the rows of a person apart: a row with the same key is the
        same row in every release.

    Raises
    ------
    InputError, PolicyError
        When the table or the policy cannot be used as they are.
    ImpossiblePromise
        When no release can keep the promises.
    BrokenPromise
        When verification does not confirm the result; nothing is released.

    Examples
    --------
    >>> import discreet as d, polars as pl
    >>> table = pl.DataFrame({"Job": ["cook", "cook", "clerk"], "Ill": ["no", "no", "yes"]})
    >>> policy = d.Policy(protect=[d.Template(given=["Job"], infer={"Ill": "yes"}, at_most="50%")])
    >>> d.protect(table, policy).table["Job"].to_list()
    ['*', '*', '*']
    """
    opening, rules = Opening(engine, memory_limit, key), as_policy(policy)
    kept = ledger_use(rules, ledger, person, name, secret, new_persons=new_persons, row_key=row_key)
    with listening(progress) as hear:
        watch = Watch(hear, time_limit)
        if kept is not None:
            return _made_over_time(table, rules, watch, seed, opening, kept)
        return _made(table, rules, watch, seed, opening)


def _made(table: Table, policy: Policy, watch: Watch, seed: int | None, opening: Opening) -> Release:
    """Return a verified release; see `protect`."""
    if _is_large(table):
        load_ahead(loops_for(policy))
    job = prepare(table, policy, watch, seed, opening)
    return _released(job, watch, seed) if policy.decide is None else _decided(job, watch, seed)


def _decided(job: PreparedJob, watch: Watch, seed: int | None) -> Release:
    """Return the release with the first k of the list with which every promise about secrets holds.

    No search is given a secret: what it is asked does not name their columns. They are asked of the whole release.
    """
    policy = job.bound.policy
    if not job.profiles:
        refuse_impossible(job.task)

    def with_k(decided: Decided) -> Release:
        blind = prepare_rows(job.source, without_secrets(policy, decided.k), "the table", watch, seed)
        return _released(replace(blind, judge=job.bound, decided=decided), watch, seed)

    return _first_that_does(policy, with_k, (ImpossiblePromise, TooManySuppressed))


def _first_that_does(
    policy: Policy, with_k: Callable[[Decided], Release], too_much: tuple[type[PromiseError], ...]
) -> Release:
    """Return the release that the first k of the list makes with which no promise about secrets is broken."""
    ks, broken = asked_ks(policy), list[str]()
    for number, k in enumerate(ks):
        try:
            return with_k(Decided(k, ks[:number], len(ks)))
        except BrokenPromise as answer:
            found = broken_about_secrets(answer.verification, policy)
            if found is None:
                raise
            broken = found
        except too_much as answer:
            if not number:
                raise
            raise Undecided(ks[:number], broken, f"and k = {k} is too much: {answer}") from None
    raise Undecided(ks, broken)


def _released(job: PreparedJob, watch: Watch, seed: int | None, over_time: OverTime | None = None) -> Release:
    """Return the verified release of a table that was counted."""
    watch.begins("plan")
    if job.profiles:
        with speaking_of_persons():
            made = job.judged(carry_out_profiles(job.task, job.source, watch, seed))
            return _verified(made, watch, over_time=over_time)
    with job.speaking(), Before(job.source, job.bound) as before:
        plan = find_plan(job.task, watch, seed=seed)
        try:
            return _verified(job.carried_out(plan, watch, seed), watch, over_time=over_time, before=before)
        except (TooManySuppressed, Unsettled) as too_many:  # the lot needed more rows than were reckoned with
            refused: PromiseError = too_many
            try:
                plan = find_plan(job.task, watch, most_suppressed=0, seed=seed)
            except TooManySuppressed:  # there is no cut that removes none
                raise refused from None
            return _verified(job.carried_out(plan, watch, seed), watch, over_time=over_time, before=before)


def _made_over_time(
    table: Table, policy: Policy, watch: Watch, seed: int | None, opening: Opening, use: LedgerUse
) -> Release:
    """Return a verified release that keeps its promises together with those in a ledger; see `protect`."""
    from discreet.planning.over_time import decided_beside, planned, told_blindly  # with a ledger only, as the next
    from discreet.planning.sample_beside import drawn_beside, of_the_whole
    from discreet.planning.staying import open_beside, who_stays

    watch.begins("read")
    beside = asked = open_beside(table, policy, opening, use, decides=True)
    if beside.people.past:
        beside = drawn_beside(asked, seed)
    source, policy, people = beside.source, beside.policy, beside.people
    if policy.decide is not None:

        def with_k(decided: Decided) -> Release:
            made, staying = decided_beside(beside, decided, watch, seed, new_persons=use.new_persons)
            over_time = OverTime(use, people) if staying is None else OverTime.of(use, people, staying)
            return _verified(made, watch, over_time=over_time)

        return _first_that_does(policy, with_k, (PromiseError,))
    job = prepare_rows(source, policy, table, watch, seed)
    if policy.is_blind:
        if people.past:
            who_stays(source, job.bound, people, seed, new_persons=use.new_persons)
        watch.begins("plan")
        return _verified(told_blindly(job, people, watch, seed), watch, over_time=OverTime(use, people))
    if not people.past:
        return _released(job, watch, seed, OverTime(use, people))
    staying = who_stays(source, job.bound, people, seed, new_persons=use.new_persons)
    if staying.table is not source:
        job = prepare_rows(staying.table, policy, table, watch, seed)
    watch.begins("plan")
    made = of_the_whole(planned(staying, job.bound, people, watch, seed), asked)
    return _verified(made, watch, over_time=OverTime.of(use, people, staying))


def apply(
    plan: Plan,
    table: Table,
    progress: Callable[[Progress], bool | None] | None = None,
    opening: Opening = DEFAULT,
    policy: Policy | Mapping[str, Any] | str | Path | None = None,
    population: Table | None = None,
    use: LedgerUse | None = None,
) -> Release:
    """Carry a plan out on new rows of the same kind and verify the result; see `Plan.apply`.

    With the owner's `policy`, nothing that the plan says of itself is believed: the table is read, and the result
    verified, as that policy has it. `population` takes the place of the one that is named in either of them. With a
    ledger to `use`, the promises of all its releases are kept together with this one.
    """
    watch = Watch(progress)
    watch.begins("read")
    owners = plan.policy if policy is None else as_policy(policy)
    if population is not None:
        owners = owners.with_population(population)
    if len(owners.populations) == 1:  # the owner knows where it is now
        plan = replace(plan, policy=plan.policy.with_population(*owners.populations))
    people: KnownPeople | None = None
    if use is not None:
        from discreet.planning.sample_beside import drawn_again, drawn_beside, of_the_whole
        from discreet.planning.staying import open_beside

        asked = open_beside(table, owners, opening, use)
        beside = drawn_beside(asked, None) if asked.people.past else asked
        source, owners, people = beside.source, beside.policy, beside.people
        plan = replace(plan, policy=with_person(plan.policy, people.person, people.row_key))
        plan = plan if beside is asked else drawn_again(plan)
    else:
        source = open_table(table, owners, opening=opening)
    if source.columns != plan.columns:
        raise InputError("the table does not have the columns, in the same order, that the plan was made for")
    bound, judge = with_people(bind_to(plan.searched, source)), bind_to(owners, source)
    require_rows(source, table)
    refuse_strangers(bound, source)
    refuse_without_order(owners, source)
    refuse_unread(judge.policy, source)
    for column, kind in plan.kinds.items():
        if source.kind(column) != kind:
            raise InputError(f"column {column!r} holds {source.kind(column)}, but {kind} when the plan was made")
    warnings = [*([ITS_OWN_POLICY] if policy is None else []), *repeat_warnings(judge.policy, source)]
    judge = replace(judge, warnings=(*judge.warnings, *warnings))
    # Who sees only the texts of a file has the owner's word for how values are written; of other kinds the plan's.
    vouched = policy is None or all(source.kind(column) == "text" for column in owners.sensitive)
    plan = replace(plan, policy=bound.policy)
    if use is None or people is None:
        return _verified(carry_out_again(plan, bound, judge, source, watch), watch, vouched=vouched)
    if not people.past:
        made = carry_out_again(plan, bound, judge, source, watch)
        return _verified(made, watch, vouched=vouched, over_time=OverTime(use, people))
    from discreet.planning.over_time import used_again
    from discreet.planning.staying import who_stays

    staying = who_stays(source, judge, people, None, new_persons=use.new_persons)
    made = used_again(staying, judge, people, plan, watch)
    made = of_the_whole(replace(made, plan=replace(made.plan, policy=bound.policy)), asked)
    return _verified(made, watch, vouched=vouched, over_time=OverTime.of(use, people, staying))


LARGE_FILE, LARGE_TABLE = 1_000_000, 10_000
"""Bytes of a file, and rows of a table."""
ITS_OWN_POLICY = (
    "verified against the policy that the plan carries, and nothing else: whoever can change the plan can change its "
    "promises; give the owner's policy with --policy (in Python policy=...)"
)


def _is_large(table: Table) -> bool:
    """Whether a table is so large, at first sight, that its loops will be compiled."""
    if isinstance(table, str | Path):
        return Path(table).is_file() and Path(table).stat().st_size > LARGE_FILE
    shape = getattr(table, "shape", None)
    return isinstance(shape, tuple) and shape[0] > LARGE_TABLE


def _verified(
    made: CarriedOut,
    watch: Watch,
    *,
    vouched: bool = True,
    over_time: OverTime | None = None,
    before: Before | None = None,
) -> Release:
    """Return a release, described, that verification confirms, and nothing else; `vouched` as for `check`."""
    watch.begins("verify")
    policy = made.judge.policy
    with usefulness_meanwhile(made.released, made.told, made.judge, before) as useful:
        verification = check(
            made.released,
            policy,
            made.source,
            vouched=vouched,
            medians=made.medians,
            whole=made.whole,
            places=made.places,
            hide_only=made.hide_only,
            statement=made.statement,
            beside=None if over_time is None else over_time.beside,
        )
    note = None
    if over_time is not None:
        note, joint = over_time.counted(made)
        verification = replace(verification, joint=joint)
    if not verification.may_go_out:
        raise BrokenPromise(verification, made.hint)
    if policy.method != "disclosure":
        made.refuse_many(policy)
    plan = made.kept_plan
    order = made.drawn_order()
    if order is not None and (any(policy.cells()) or policy.unit is not None):
        # else nobody can tell any more whose cell, or whose row, is whose
        plan = replace(plan, order=tuple(made.released.numbers()[order].tolist()))
    elif policy.unit is not None and made.source.row_wise and made.released.rows < made.source.rows:
        plan = replace(plan, order=tuple(made.released.numbers().tolist()))
    told, source = made.told, made.source
    warnings = (*made.warnings, *(() if over_time is None else over_time.warnings(made)))
    audit = describe(
        verification, made.released, told, source, made.judge, warnings, making=made, before=before, useful=useful
    )
    made.source.refuse_changed()
    stated = made.statement if made.statement is None or order is None else made.statement.moved(order.tolist())
    return Release(plan, audit, made.released, made.source, order, stated, note)

"""stub"""
from collections.abc import Iterator
from discreet.attack.base import Task
from discreet.attack.scene import Scene
def minimality_attacks(scene: Scene) -> Iterator[Task]:
    yield from ()

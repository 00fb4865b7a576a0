"""All systems, in the order of the report."""

from benchmarks.peers.systems import directus, driver, octavo, postgraphile, strapi
from benchmarks.peers.systems.base import System

SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        octavo.SYSTEM,
        driver.SYSTEM,
        postgraphile.SYSTEM,
        directus.SYSTEM,
        strapi.V5_SYSTEM,
        strapi.V4_SYSTEM,
    )
}

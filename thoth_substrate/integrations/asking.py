"""What asks a model for people: the Asker of a house, made when first wanted and kept with its connections."""

from __future__ import annotations

from thoth_substrate.ask.asker import Asker
from thoth_substrate.house import House
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm.speech import Speaker
from thoth_substrate.recall.periods import spans


class Asking:
    """The Asker of one server or command. Belongs to the house's event loop."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._speaker: Speaker | None = None
        self._asker: Asker | None = None

    async def asker(self) -> Asker:
        """The Asker. Raises DatabaseUnavailable when the DSN cannot be read, SettingsError for prices that cannot."""
        if self._asker is None:
            house, database = self._house, await self._house.database()
            self._speaker = Speaker(house.settings, PostgresLedger(database, house.settings, house.clock), house.clock)
            self._asker = Asker(
                house.settings, database, self._speaker, house.substrate.recall, spans, used=house.substrate.used
            )  # fmt: skip
        return self._asker

    async def close(self) -> None:
        """Close the connections to the model. May be used again."""
        if self._speaker is not None:
            await self._speaker.close()

"""Message -> reading. A parser proposes candidates; admission decides."""

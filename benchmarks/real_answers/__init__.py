"""How well learners predict answers that people and laboratories really gave, beside their peers."""

"""Everything people read about results: HTML reports, pictures and terminal texts, from plain values."""

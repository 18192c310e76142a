// Package pdf writes a report as PDF: A4, with its fonts inside, so that it looks the same everywhere and can be searched.
// It draws with TrueType fonts of the machine, which Find looks for: DejaVu Sans has all letters of English and Vietnamese,
// Droid Sans Fallback those of Chinese. The same report and fonts give the same bytes.
package pdf

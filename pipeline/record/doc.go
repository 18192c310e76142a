// Package record keeps both sides of a talk in one file as it happens: Ogg/Opus, the candidate on the left, the interviewer
// on the right, both on the clock of the session. It knows nothing of consent: a Recorder exists only while there is some.
//
// Alignment: a frame lies where it was heard or sent. What was not there (lost packets, a candidate who is away, a voice that
// rests) is silence of the right length. The file lags behind the talk by a second, within which late packets still find
// their place, and by another one that fills a page.
//
// Concurrency: Candidate and Interviewer are for the goroutines that carry the sound. They copy a frame into a bounded queue
// and return: they neither wait, nor allocate, nor fail. When the queue is full the frame is dropped and counted; its time is
// silent. One goroutine, started by Start and awaited by Close and Discard, does everything else. Memory: about 1 MB.
//
// Durability: a page is written at least every second and is valid by itself, so that a process that is killed leaves a file
// that plays up to its last page. When the file cannot be written the recorder ends, says so once, and disturbs nobody.
//
// The container is written here because the ready-made writer (pion's oggwriter) belongs to a family of packages that sound
// must not know, and makes a page of every packet, which costs a third of the file.
package record

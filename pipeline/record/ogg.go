package record

import (
	"encoding/binary"
	"io"
)

// The fields of a page (RFC 3533 §6).
const (
	pageHeader    = 27
	pageSegments  = 255
	segmentLength = 255
	pageBegins    = 0x02
	pageEnds      = 0x04
)

// channels of the file: the candidate, the interviewer.
const channels = 2

// oggStream writes one Opus stream into an Ogg file (RFC 7845), page by page.
type oggStream struct {
	out     io.Writer
	serial  uint32
	pages   uint32 // written
	written int64  // bytes

	lacing  []byte // of the page being filled
	body    []byte
	packets int
	page    []byte // reused
}

func newOggStream(out io.Writer, serial uint32) *oggStream {
	return &oggStream{
		out: out, serial: serial,
		lacing: make([]byte, 0, pageSegments), body: make([]byte, 0, 16<<10), page: make([]byte, 0, 16<<10),
	}
}

// begin writes the two header pages: preSkip is in samples at 48 kHz, rate that of the input. The comment says nothing about
// anybody.
func (s *oggStream) begin(preSkip uint16, rate uint32, comment string) error {
	head := append([]byte("OpusHead"), 1, channels)
	head = binary.LittleEndian.AppendUint16(head, preSkip)
	head = binary.LittleEndian.AppendUint32(head, rate)
	head = append(head, 0, 0, 0) // no gain; mapping family 0: stereo
	s.add(head)
	if err := s.flush(0, pageBegins); err != nil {
		return err
	}
	const vendor = "viva"
	tags := binary.LittleEndian.AppendUint32([]byte("OpusTags"), uint32(len(vendor)))
	tags = append(tags, vendor...)
	tags = binary.LittleEndian.AppendUint32(tags, 1)
	tags = binary.LittleEndian.AppendUint32(tags, uint32(len(comment)))
	s.add(append(tags, comment...))
	return s.flush(0, 0)
}

// fits reports whether a packet of n bytes still fits the page.
func (s *oggStream) fits(n int) bool { return len(s.lacing)+n/segmentLength+1 <= pageSegments }

// add puts a packet on the page; it must fit.
func (s *oggStream) add(packet []byte) {
	n := len(packet)
	for ; n >= segmentLength; n -= segmentLength {
		s.lacing = append(s.lacing, segmentLength)
	}
	s.lacing = append(s.lacing, byte(n))
	s.body = append(s.body, packet...)
	s.packets++
}

// flush writes the page in one call. granule is the position at 48 kHz behind its last packet.
func (s *oggStream) flush(granule int64, flags byte) error {
	p := s.page[:0]
	p = append(p, "OggS\x00"...)
	p = append(p, flags)
	p = binary.LittleEndian.AppendUint64(p, uint64(granule))
	p = binary.LittleEndian.AppendUint32(p, s.serial)
	p = binary.LittleEndian.AppendUint32(p, s.pages)
	p = append(p, 0, 0, 0, 0, byte(len(s.lacing)))
	p = append(p, s.lacing...)
	p = append(p, s.body...)
	binary.LittleEndian.PutUint32(p[22:], oggChecksum(p))
	s.page, s.lacing, s.body, s.packets = p, s.lacing[:0], s.body[:0], 0
	if _, err := s.out.Write(p); err != nil {
		return err
	}
	s.pages++
	s.written += int64(len(p))
	return nil
}

var oggTable = func() (table [256]uint32) {
	for i := range table {
		r := uint32(i) << 24
		for range 8 {
			if r&(1<<31) != 0 {
				r = r<<1 ^ 0x04c11db7
			} else {
				r <<= 1
			}
		}
		table[i] = r
	}
	return table
}()

// oggChecksum is the CRC of Ogg: not reflected, unlike those of hash/crc32. The field itself counts as zero.
func oggChecksum(page []byte) (sum uint32) {
	for _, b := range page {
		sum = sum<<8 ^ oggTable[byte(sum>>24)^b]
	}
	return sum
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"

	. "github.com/onsi/gomega"
)

// elfOf returns an ELF file with a loader and linked libraries but no code.
func elfOf(t *testing.T, loader string, libraries ...string) []byte {
	t.Helper()
	dynstr, dynamic := []byte{0}, new(bytes.Buffer)
	for _, library := range libraries {
		write(t, dynamic, elf.Dyn64{Tag: int64(elf.DT_NEEDED), Val: uint64(len(dynstr))})
		dynstr = append(append(dynstr, library...), 0)
	}
	write(t, dynamic, elf.Dyn64{Tag: int64(elf.DT_NULL)})
	sections := []struct {
		name string
		typ  elf.SectionType
		link uint32
		data []byte
	}{
		{"", elf.SHT_NULL, 0, nil},
		{".dynstr", elf.SHT_STRTAB, 0, dynstr},
		{".dynamic", elf.SHT_DYNAMIC, 1, dynamic.Bytes()},
		{".interp", elf.SHT_PROGBITS, 0, append([]byte(loader), 0)},
		{".shstrtab", elf.SHT_STRTAB, 0, []byte("\x00.dynstr\x00.dynamic\x00.interp\x00.shstrtab\x00")},
	}
	if loader == "" {
		sections[3].name = ""
	}
	const headerSize, sectionSize = 64, 64
	names, data, headers := sections[4].data, new(bytes.Buffer), new(bytes.Buffer)
	offset := uint64(headerSize + sectionSize*len(sections))
	for _, s := range sections {
		write(t, headers, elf.Section64{
			Name: uint32(bytes.Index(names, append([]byte(s.name), 0))), Type: uint32(s.typ), Link: s.link,
			Off: offset + uint64(data.Len()), Size: uint64(len(s.data)),
		})
		write(t, data, s.data)
	}
	file := new(bytes.Buffer)
	write(t, file, elf.Header64{
		Ident:   [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:    uint16(elf.ET_DYN),
		Machine: uint16(elf.EM_X86_64),
		Version: uint32(elf.EV_CURRENT),
		Ehsize:  headerSize, Shoff: headerSize, Shentsize: sectionSize, Shnum: uint16(len(sections)), Shstrndx: 4,
	})
	write(t, file, headers.Bytes())
	write(t, file, data.Bytes())
	return file.Bytes()
}

func write(t *testing.T, to *bytes.Buffer, value any) {
	t.Helper()
	NewWithT(t).Expect(binary.Write(to, binary.LittleEndian, value)).To(Succeed())
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package caps

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	. "github.com/onsi/gomega"
)

func TestParseBounding(t *testing.T) {
	g := NewWithT(t)
	set, err := parseBounding(strings.NewReader("Name:\tmake\nCapEff:\t0000000000000000\nCapBnd:\t000001fffeffffff\nCapAmb:\t0\n"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(set.Has(24)).To(BeFalse(), "CAP_SYS_RESOURCE")
	g.Expect(set.Has(23)).To(BeTrue())
	g.Expect(set.Has(40)).To(BeTrue())
	g.Expect(set.Has(41)).To(BeFalse())
	g.Expect(set.Has(-1)).To(BeFalse())
	g.Expect(set.Has(64)).To(BeFalse())
	for status, want := range map[string]string{
		"Name:\tmake\n":                "no line CapBnd",
		"CapBnd:\tall of them\n":       "invalid syntax",
		"CapBnd:\t1ffffffffffffffff\n": "value out of range",
	} {
		_, err := parseBounding(strings.NewReader(status))
		g.Expect(err).To(MatchError(ContainSubstring(want)), status)
	}
	broken := errors.New("broken")
	_, err = parseBounding(iotest.ErrReader(broken))
	g.Expect(err).To(MatchError(broken))
}

func TestParseLast(t *testing.T) {
	g := NewWithT(t)
	for content, want := range map[string]Set{"0\n": 1, "40\n": 0x1ffffffffff, "63": 0xffffffffffffffff} {
		set, err := parseLast(content)
		g.Expect(err).NotTo(HaveOccurred(), content)
		g.Expect(set).To(Equal(want), content)
	}
	for _, content := range []string{"", "64", "-1", "forty"} {
		_, err := parseLast(content)
		g.Expect(err).To(HaveOccurred(), content)
	}
}

func TestWithheld(t *testing.T) {
	g := NewWithT(t)
	bounding, err := Bounding()
	g.Expect(err).NotTo(HaveOccurred())
	withheld, err := Withheld()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(withheld & bounding).To(BeZero())
}

func TestNames(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Set(1<<24 | 1<<40 | 1<<63).String()).To(Equal("CAP_SYS_RESOURCE, CAP_CHECKPOINT_RESTORE, CAP_63"))
	g.Expect(Set(0).String()).To(BeEmpty())
	for want, name := range map[int]string{0: "CAP_CHOWN", 21: "CAP_SYS_ADMIN", 24: "cap_sys_resource", 39: "CAP_BPF"} {
		n, ok := Number(name)
		g.Expect(ok).To(BeTrue(), name)
		g.Expect(n).To(Equal(want), name)
	}
	_, ok := Number("CAP_TELEPORT")
	g.Expect(ok).To(BeFalse())
}

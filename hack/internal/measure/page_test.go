// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestPartsOfAPageAreWrittenIndependently(t *testing.T) {
	g := NewWithT(t)
	page := filepath.Join(t.TempDir(), "page.md")
	write := func(p Part, want string) {
		t.Helper()
		g.Expect(p.Write(page)).To(Succeed())
		content, err := os.ReadFile(page)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(content)).To(Equal(want))
	}
	g.Expect(os.WriteFile(page, []byte("# Title\n"), 0o600)).To(Succeed())
	const (
		title  = "# Title\n"
		first  = "\n<!-- begin one, written by make one -->\n\n1\n\n<!-- end one -->\n"
		second = "\n<!-- begin two, written by make two -->\n\n2\n\n<!-- end two -->\n"
		newer  = "\n<!-- begin one, written by make one -->\n\nnew\n\n<!-- end one -->\n"
	)
	write(Part{"one", "make one", "1\n"}, title+first)
	write(Part{"two", "make two", "\n2"}, title+first+second)
	write(Part{"one", "make one", "new"}, title+newer+second)
	write(Part{"two", "make two", "2"}, title+newer+second)
}

func TestPartWithoutAnEndIsNotReplaced(t *testing.T) {
	g := NewWithT(t)
	page := filepath.Join(t.TempDir(), "page.md")
	const broken = "<!-- begin one, written by make one -->\nall else\n"
	g.Expect(os.WriteFile(page, []byte(broken), 0o600)).To(Succeed())
	g.Expect(Part{"one", "make one", "1"}.Write(page)).To(MatchError(And(HavePrefix("write one of "), HaveSuffix("the part has no end"))))
	g.Expect(os.ReadFile(page)).To(BeEquivalentTo(broken))
	g.Expect(Part{"one", "make one", "1"}.Write(page + "s")).To(MatchError(os.ErrNotExist))
}

func TestOurPageHasThePartsThatItsCommandsWrite(t *testing.T) {
	page, err := os.ReadFile("../../../docs/performance.md")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(string(page)).To(And(ContainSubstring("<!-- begin bare machine, written by make bench-cold -->\n"), ContainSubstring("\n<!-- end bare machine -->\n")))
}

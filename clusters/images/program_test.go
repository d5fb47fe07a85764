// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// TestWriteProgramBuildsForThisMachine uses the image that only needs the standard library.
func TestWriteProgramBuildsForThisMachine(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	g.Expect(WriteProgram(t.Context(), program, func(string, ...any) {}, Workload)).To(Succeed())
	info, err := os.Stat(program)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info.Mode().Perm() & 0o111).NotTo(BeZero())
	entries, err := os.ReadDir(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(HaveLen(1), "no temporary files are left")
}

func TestWriteProgramNeedsACheckoutOrARelease(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	dir := t.TempDir()
	g.Expect(WriteProgram(t.Context(), filepath.Join(dir, "program"), func(string, ...any) {}, Scheduler)).To(MatchError(ContainSubstring("run inside a checkout")))
	g.Expect(os.ReadDir(dir)).To(BeEmpty())
}

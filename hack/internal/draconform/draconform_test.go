// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package draconform

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// TestTheTerminalDoesNotSignalARun expects that a run has a process group of its own: the
// terminal would interrupt it in addition to this process, and draconform ends without a
// cleanup at the second interrupt.
func TestTheTerminalDoesNotSignalARun(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	command := filepath.Join(dir, "draconform")
	script := "#!/bin/sh\nread -r pid name state parent group rest < /proc/$$/stat\necho $pid $group\n"
	g.Expect(os.WriteFile(command, []byte(script), 0o755)).To(Succeed())
	_, err := Run{Command: command, Dir: filepath.Join(dir, "run"), Timeout: time.Minute, CleanUp: time.Minute}.Report(t.Context())
	g.Expect(err).To(HaveOccurred(), "a run without a report")
	output, err := os.ReadFile(filepath.Join(dir, "run", OutputFile))
	g.Expect(err).NotTo(HaveOccurred())
	ids := strings.Fields(string(output))
	g.Expect(ids).To(HaveLen(2))
	g.Expect(ids[1]).To(Equal(ids[0]), "the process group of the process")
}

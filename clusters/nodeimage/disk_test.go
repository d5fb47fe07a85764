// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestCheckSpaceChecksEachFileSystemOnce(t *testing.T) {
	g := NewWithT(t)
	const exabyte = 1 << 60
	dir := filepath.Join(t.TempDir(), "new")
	g.Expect(checkSpace([]space{{dir, 1}, {filepath.Join(dir, "below"), exabyte}})).To(Succeed())
	g.Expect(filepath.Join(dir, "below")).To(BeADirectory())
	g.Expect(checkSpace([]space{{dir, exabyte}})).To(MatchError(MatchRegexp(
		"^building a node image needs 1073741824 GiB, the disk that holds " + dir + ` has [0-9.]+ GiB free$`)))
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("needs a second file system: /proc")
	}
	g.Expect(checkSpace([]space{{dir, 1}, {"/proc", 2 << 30}})).To(MatchError(
		"building a node image needs 2 GiB, the disk that holds /proc has 0.0 GiB free"))
}

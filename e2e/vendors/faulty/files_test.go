// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestFaultsOfCDIFiles(t *testing.T) {
	const content = `{"devices":[{"name":"claim-1-a","containerEdits":{"env":["admin_test_driver=yes"]}}]}`
	g := NewWithT(t)
	for fault, want := range map[string]string{
		"writes-other-cdi-devices": strings.Replace(content, "claim-1-a", "another-1-a", 1),
		"sets-wrong-value":         strings.Replace(content, "=yes", "=no", 1),
	} {
		path := filepath.Join(t.TempDir(), "file")
		g.Expect(broken(t, fault).files.Create(path, []byte(content))).To(Succeed())
		g.Expect(os.ReadFile(path)).To(BeEquivalentTo(want), fault)
	}
	g.Expect(broken(t, "sets-wrong-value").metadata).To(BeFalse(), "containers could see the right value there")

	path := filepath.Join(t.TempDir(), "file")
	g.Expect(os.WriteFile(path, nil, 0o600)).To(Succeed())
	g.Expect(broken(t, "leaves-cdi-files").files.Remove(path)).To(Succeed())
	g.Expect(path).To(BeAnExistingFile())
}

func TestFaultOfADriverThatKeepsItsLastFile(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	c := broken(t, "keeps-last-file")
	for _, name := range []string{"one", "two", "two"} {
		g.Expect(c.files.Create(filepath.Join(dir, name), nil)).To(Succeed())
	}
	g.Expect(filepath.Join(dir, "one")).NotTo(BeAnExistingFile())
	g.Expect(filepath.Join(dir, "two")).To(BeAnExistingFile())
	g.Expect(c.files.Remove(filepath.Join(dir, "one"))).To(Succeed(), "claims whose file is gone can be unprepared")
}

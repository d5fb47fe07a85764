// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestFaultsOfCDIFiles(t *testing.T) {
	const content = `{"devices":[{"name":"claim-1-a","containerEdits":{"env":["admin_test_driver=yes"]}}]}`
	g := NewWithT(t)
	g.Expect(string(renamesCDIDevice([]byte(content)))).To(ContainSubstring(`"name":"another-1-a"`))
	path := t.TempDir() + "/file"
	c := broken(t, "sets-wrong-value")
	g.Expect(c.metadata).To(BeFalse())
	g.Expect(c.files.Create(path, []byte(content))).To(Succeed())
	g.Expect(path).To(BeAnExistingFile())
	g.Expect(broken(t, "leaves-cdi-files").files.Remove(path)).To(Succeed())
	g.Expect(path).To(BeAnExistingFile())
}

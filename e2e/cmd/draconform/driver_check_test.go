// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject/preflight"
)

// The sentences about what is not OK follow the table, the problems first, each
// with the place in the file.
func TestPrintFindings(t *testing.T) {
	g := NewWithT(t)
	c := &checkedCluster{"context kind", []preflight.Finding{
		{Driver: "gpu.example.com", Check: "nodes", Result: preflight.Warning, Field: "roles.exclusive.device", Position: "gpu.yaml, line 7", Message: "a node is cordoned"},
		{Driver: "gpu.example.com", Check: "pool", Result: preflight.OK, Field: "name", Position: "gpu.yaml, line 3", Message: "1 of 1 pools"},
		{Driver: "gpu.example.com", Check: "rights", Result: preflight.Problem, Message: "not allowed to create pods"},
		{Check: "specs", Result: preflight.Problem, Message: "unknown"},
	}}
	var out bytes.Buffer
	g.Expect(c.print(&out)).To(Succeed())
	g.Expect(out.String()).To(Equal(`
DRIVER           CHECK   FIELD                   RESULT   FOUND
gpu.example.com  nodes   roles.exclusive.device  warning  see below
gpu.example.com  pool    name                    ok       1 of 1 pools
gpu.example.com  rights  -                       problem  see below
-                specs   -                       problem  see below
problem: gpu.example.com: not allowed to create pods
problem: context kind: unknown
warning: gpu.yaml, line 7: roles.exclusive.device: a node is cordoned
context kind: 2 problems, 1 warnings
`))
	out.Reset()
	g.Expect((*checkedCluster)(nil).print(&out)).To(Succeed())
	g.Expect(out.String()).To(BeEmpty(), "without a cluster, the output is that of the files")
}

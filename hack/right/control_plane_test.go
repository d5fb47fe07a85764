// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/kindrun"
)

// Each run has the variants of its batch and no others.
func TestControlPlanesWithVariants(t *testing.T) {
	g := NewWithT(t)
	c := &controlPlanes{&cluster{kindrun.Cluster{Dir: t.TempDir(), Scale: 1}}}
	g.Expect(os.WriteFile(c.command(), []byte("#!/bin/sh\necho \"$DRACONFORM_VARIES: $*\"\n"), 0o755)).To(Succeed())
	output := func(name string, b batch, specs ...string) string {
		_, err := c.run(t.Context(), name, b, specs)
		g.Expect(err).To(HaveOccurred(), "the script writes no report")
		content, err := os.ReadFile(filepath.Join(c.Dir, name, "output.log"))
		g.Expect(err).NotTo(HaveOccurred())
		return string(content)
	}
	args := func(name, focus string) string {
		return "run --provider control-plane --scheduler draconform --focus " + focus + " --first  --timeout-scale 1 --artifacts " + filepath.Join(c.Dir, name) + "\n"
	}
	g.Expect(output("without", batch{})).To(Equal(": " + args("without", "")))
	both := batch{name: "both", variants: []variant{of(scheduler, "a", "x"), of(scheduler, "b", "y")}}
	g.Expect(output("both", both, "s1", "s2")).To(Equal("scheduler=a,b: " + args("both", "^(s1|s2)$")))
}

// A control plane runs no drivers and no kubelets that could differ.
func TestVariantsOfControlPlanes(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(right(t.Context(), []string{"--provider", "control-plane", "--dry-run", "--variant", "^(packs-pods|answers-slowly)$"}, &out)).To(Succeed())
	g.Expect(out.String()).To(And(ContainSubstring("packs-pods"), Not(ContainSubstring("answers-slowly"))))
	for _, args := range [][]string{{"--provider", "existing"}, {"--provider", "control-plane", "--variant", "^answers-slowly$"}} {
		g.Expect(right(t.Context(), args, &out)).To(MatchError(command.ErrUsage))
	}
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gocmd

import (
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestMakefileHasTheSameFlags(t *testing.T) {
	g := NewWithT(t)
	makefile, err := os.ReadFile("../../Makefile")
	g.Expect(err).NotTo(HaveOccurred())
	flags := ""
	for line := range strings.Lines(string(makefile)) {
		if rest, ok := strings.CutPrefix(line, "GO_FLAGS = "); ok {
			flags = strings.ReplaceAll(strings.TrimSpace(rest), "'", "")
		}
	}
	g.Expect(flags).To(Equal(strings.Join(Flags, " ")), "otherwise packages are compiled twice")
}

func TestProcessors(t *testing.T) {
	g := NewWithT(t)
	env, flags := Processors(2)
	g.Expect(env).To(Equal([]string{"GOMAXPROCS=1"}))
	g.Expect(flags).To(Equal([]string{"-p", "2"}))
	env, flags = Processors(8)
	g.Expect(env).To(BeEmpty())
	g.Expect(flags).To(BeEmpty(), "the defaults of the go command")
}

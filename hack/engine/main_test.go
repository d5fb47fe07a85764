// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"testing"

	. "github.com/onsi/gomega"
)

func TestParse(t *testing.T) {
	g := NewWithT(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "ensure"},
		{[]string{"ensure"}, "ensure"},
		{[]string{"stop"}, "stop"},
		{[]string{"status"}, "status"},
		{[]string{"help"}, "help"},
		{[]string{"-h"}, "help"},
		{[]string{"--help"}, "help"},
	} {
		command, err := parse(test.args)
		g.Expect(err).NotTo(HaveOccurred(), "%v", test.args)
		g.Expect(command).To(Equal(test.want), "%v", test.args)
	}
	for _, args := range [][]string{{"start"}, {""}, {"stop", "status"}, {"--force"}} {
		_, err := parse(args)
		g.Expect(err).To(MatchError(errUsage), "%v", args)
	}
}

func TestRunHelps(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(run(t.Context(), []string{"--help"}, &out)).To(Succeed())
	g.Expect(out.String()).To(Equal(usage))
	g.Expect(run(t.Context(), []string{"begin"}, &out)).To(MatchError(errUsage))
}

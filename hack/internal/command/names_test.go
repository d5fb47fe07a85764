// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/hack/internal/command"
)

func TestChooseByName(t *testing.T) {
	all := []string{"forgets", "forgets-more", "a.b", "axb"}
	itself := func(name string) string { return name }
	for expression, want := range map[string][]string{
		"":                                      all,
		"^f":                                    {"forgets", "forgets-more"},
		command.Exactly([]string{"forgets"}):    {"forgets"},
		command.Exactly([]string{"axb", "a.b"}): {"a.b", "axb"},
		command.Exactly([]string{"a.b"}):        {"a.b"},
	} {
		t.Run(expression, func(t *testing.T) {
			g := NewWithT(t)
			got, err := command.Choose("fault", expression, all, itself)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(want))
		})
	}
	g := NewWithT(t)
	g.Expect(command.Exactly(nil)).To(BeEmpty())
	_, err := command.Choose("fault", "drops", all, itself)
	g.Expect(err).To(MatchError(`no fault matches "drops"`))
	_, err = command.Choose("fault", "(", all, itself)
	g.Expect(err).To(MatchError(HavePrefix("choose faults: error parsing regexp: ")))
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/kind/pkg/log"
)

func TestFirstWords(t *testing.T) {
	for message, want := range map[string]string{
		" • Ensuring node image (draconform/run:r1) 🖼️  ...\n": "Ensuring node image (draconform/run:r1)",
		" ✓ Preparing nodes 📦 📦 📦  \n":                         "Preparing nodes",
		"Creating cluster \"c\" ...\n":                         "Creating cluster \"c\"",
		"* already plain":                                      "already plain",
		"📜":                                                    "",
	} {
		t.Run(message, func(t *testing.T) {
			NewWithT(t).Expect(firstWords(message)).To(Equal(want))
		})
	}
}

func TestTaskLoggerShows(t *testing.T) {
	for name, test := range map[string]struct {
		say  func(log.Logger)
		want []string
	}{
		"steps of kind":             {func(l log.Logger) { l.V(0).Infof(" • %s  ...\n", "Installing CNI 🔌") }, []string{"Installing CNI"}},
		"messages without a format": {func(l log.Logger) { l.V(0).Info("100%d of it") }, []string{"100%d of it"}},
		"no details":                {func(l log.Logger) { l.V(1).Info("a"); l.V(5).Infof("%s", "b") }, nil},
		"warnings":                  {func(l log.Logger) { l.Warn("a"); l.Warnf("%s", "b") }, []string{"a", "b"}},
		"errors kind handles":       {func(l log.Logger) { l.Error("a"); l.Errorf("%s", "b") }, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			var shown []string
			test.say(&taskLogger{update: func(format string, args ...any) { shown = append(shown, fmt.Sprintf(format, args...)) }})
			NewWithT(t).Expect(shown).To(Equal(test.want))
		})
	}
}

// kind's message is that of its version in go.mod.
func TestTaskLoggerKnowsWhenWorkersJoin(t *testing.T) {
	g := NewWithT(t)
	joining := 0
	l := &taskLogger{update: func(string, ...any) {}, joining: func() { joining++ }}
	l.V(0).Infof(" • %s  ...\n", "Installing CNI 🔌")
	g.Expect(joining).To(BeZero())
	l.V(0).Infof(" • %s  ...\n", "Joining worker nodes 🚜")
	g.Expect(joining).To(Equal(1))
}

func TestTaskLoggerDisablesDetails(t *testing.T) {
	g := NewWithT(t)
	l := &taskLogger{}
	g.Expect(l.V(0).Enabled()).To(BeTrue())
	g.Expect(l.V(1).Enabled()).To(BeFalse())
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"bytes"
	"context"
	"os"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/progress"
)

func TestFindToolsReturnsMissingPackages(t *testing.T) {
	g := NewWithT(t)
	f := fake.NewCommands(t).Command("go")
	missing, err := findTools(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(missing).To(ContainElements("mmdebstrap", "gcc"))
	f.Command("gcc")
	missing, err = findTools(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(missing).To(And(ContainElement("mmdebstrap"), Not(ContainElement("gcc"))))
	g.Expect(f.Lines()).To(BeEmpty(), "nothing is run")
}

func TestFindToolsEndsWithItsContext(t *testing.T) {
	fake.NewCommands(t).Command("go")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := findTools(ctx)
	NewWithT(t).Expect(err).To(MatchError(context.Canceled))
}

func TestInstallDoesNothingIfNothingIsMissing(t *testing.T) {
	f := fake.NewCommands(t).Command("apt-get")
	g := NewWithT(t)
	g.Expect(missingTools{}.install(t.Context(), nil)).To(Succeed())
	g.Expect(f.Lines()).To(BeEmpty())
}

const askUser = "building a node image needs the packages gcc mmdebstrap: " +
	"install them (on Debian or Ubuntu: sudo apt-get install gcc mmdebstrap)"

func TestInstallNeedsAptGet(t *testing.T) {
	fake.NewCommands(t)
	NewWithT(t).Expect(missingTools{"gcc", "mmdebstrap"}.install(t.Context(), nil)).To(MatchError(askUser))
}

// TestInstallUsesAptGet checks the behaviour for root or for other users, depending on the user who runs the test.
func TestInstallUsesAptGet(t *testing.T) {
	g := NewWithT(t)
	f := fake.NewCommands(t).Command("apt-get", fake.Answer{Args: "update"},
		fake.Answer{Args: "install", Exit: 100, Stderr: "E: Unable to locate package mmdebstrap\n"})
	var out bytes.Buffer
	err := missingTools{"gcc", "mmdebstrap"}.install(t.Context(), progress.New(&out))
	if os.Geteuid() != 0 {
		g.Expect(err).To(MatchError(askUser))
		g.Expect(f.Lines()).To(BeEmpty())
		return
	}
	g.Expect(err).To(MatchError(MatchRegexp("^apt-get install .* gcc mmdebstrap: exit status 100: E: Unable to locate package mmdebstrap$")))
	g.Expect(f.Lines()).To(ContainElements(HavePrefix("apt-get update"), MatchRegexp("^apt-get install .* gcc mmdebstrap$")))
	g.Expect(out.String()).To(HavePrefix(" • install gcc mmdebstrap ..."))
	f.Command("apt-get", fake.Answer{})
	g.Expect(missingTools{"gcc"}.install(t.Context(), nil)).To(Succeed())
}

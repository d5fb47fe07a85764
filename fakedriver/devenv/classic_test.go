// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devenv_test

import (
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/devenv"
)

// The drivers of classic DRA cannot import this package. They set these variables.
func TestVariablesOfClassicDriversCanBeParsed(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile("../classic/containers/testdata/variables.txt")
	g.Expect(err).NotTo(HaveOccurred())
	devices, errs := devenv.Parse(strings.Split(strings.TrimSpace(string(content)), "\n"))
	g.Expect(errs).To(BeEmpty())
	g.Expect(devices).To(HaveLen(2))
	g.Expect(devices).To(ContainElement(And(HaveField("Pool", "n1"), HaveField("Configs", BeEmpty()))))
	g.Expect(devices).To(ContainElement(And(HaveField("Pool", "network"), HaveField("Configs", HaveLen(2)))))
}

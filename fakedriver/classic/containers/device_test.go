// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package containers

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// The suite reads these variables as those of the other fake drivers: a test of the package
// devenv reads the file, too.
func TestVariables(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile("testdata/variables.txt")
	g.Expect(err).NotTo(HaveOccurred())
	var got []string
	for _, device := range []Device{
		{Driver: "drv.example.com", Pool: "n1", Device: "device-0", Request: "r", ClaimNamespace: "default", ClaimName: "claim", ClaimUID: "uid-1"},
		{
			Driver: "drv.example.com", Pool: "network", Device: "device-1", Request: "r", ClaimNamespace: "default", ClaimName: "claim", ClaimUID: "uid-2",
			Configs: []Config{{Source: "FromClass", Parameters: json.RawMessage(`{"nodes":["n1"]}`)}, {Source: "FromClaim", Parameters: json.RawMessage(`{"optional":true}`)}},
		},
	} {
		variable, err := device.Variable()
		g.Expect(err).NotTo(HaveOccurred())
		got = append(got, variable)
	}
	g.Expect(got).To(Equal(strings.Split(strings.TrimSpace(string(content)), "\n")))
}

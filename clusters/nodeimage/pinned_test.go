// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/semver"
)

func TestPinnedHaveShortNamesAndVersions(t *testing.T) {
	g := NewWithT(t)
	all, err := Pinned()
	g.Expect(err).NotTo(HaveOccurred())
	versions := map[string]string{}
	for _, c := range all {
		versions[c.Name] = c.Version
	}
	g.Expect(versions).To(HaveKeyWithValue("Debian", MatchRegexp(`^[a-z]+$`)))
	g.Expect(versions).To(HaveKeyWithValue("pause", MatchRegexp(`^\d+\.\d+$`)))
	for _, name := range []string{"containerd", "coredns", "kind"} {
		g.Expect(versions).To(HaveKey(name))
		g.Expect(semver.IsValid(versions[name])).To(BeTrue(), name)
	}
}

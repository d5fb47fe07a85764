// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestParseDistribution(t *testing.T) {
	for name, test := range map[string]struct {
		release string
		want    string
		debian  bool
	}{
		"Debian": {"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nID=debian\n",
			"Debian GNU/Linux 12 (bookworm)", true},
		"Ubuntu": {"PRETTY_NAME=\"Ubuntu 24.04.3 LTS\"\nID=ubuntu\nID_LIKE=debian\n",
			"Ubuntu 24.04.3 LTS", true},
		"derived from Ubuntu": {"ID='linuxmint'\nID_LIKE=\"ubuntu debian\"\n",
			"linuxmint", true},
		"Fedora": {"# comment\nID=fedora\nPRETTY_NAME=\"Fedora Linux 44\"\n\nHOME_URL=\"https://debian.example.com?a=b\"\n",
			"Fedora Linux 44", false},
		"derived from Fedora": {"ID=\"rhel\"\nID_LIKE=\"fedora\"\n", "rhel", false},
		"none":                {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			d, err := parseDistribution(strings.NewReader(test.release))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(d.name).To(Equal(test.want))
			g.Expect(d.debianLike()).To(Equal(test.debian))
		})
	}
}

func TestAddSystemPath(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("PATH", "/usr/sbin:/usr/bin")
	g.Expect(addSystemPath()).To(Succeed())
	g.Expect(addSystemPath()).To(Succeed())
	g.Expect(os.Getenv("PATH")).To(Equal("/usr/sbin:/usr/bin:/usr/local/sbin:/sbin"))
}

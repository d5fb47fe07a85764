// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/engine/caps"
)

// TestMain runs ociwrap, or the fake runc that ociwrap executes, if the binary
// was started as one of them.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "ociwrap":
		main()
	case "runc":
		os.Stdout.WriteString(strings.Join(os.Args[1:], " "))
	default:
		os.Exit(m.Run())
	}
}

// install returns a folder that contains this binary under these names.
func install(t *testing.T, names ...string) string {
	t.Helper()
	g := NewWithT(t)
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	dir := t.TempDir()
	for _, name := range names {
		g.Expect(os.Symlink(self, filepath.Join(dir, name))).To(Succeed())
	}
	return dir
}

func TestExecutesRunc(t *testing.T) {
	g := NewWithT(t)
	dir := install(t, "ociwrap", "runc")
	t.Setenv("PATH", dir)
	bundle := t.TempDir()
	config := filepath.Join(bundle, "config.json")
	content := sample(t, "config.json")
	g.Expect(os.WriteFile(config, content, 0o600)).To(Succeed())

	args := []string{"--root", "/run/moby", "create", "--bundle", bundle, "id"}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "ociwrap"), args...).Output()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(out)).To(Equal(strings.Join(args, " ")), "runc's arguments")

	bounding, err := caps.Bounding()
	g.Expect(err).NotTo(HaveOccurred())
	want := decode(t, content)
	without(want["process"].(map[string]any), (all &^ bounding).Names()...)
	got, err := os.ReadFile(config)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(decode(t, got)).To(Equal(want))
}

func TestErrors(t *testing.T) {
	for name, test := range map[string]struct {
		programs []string
		args     []string
		want     string
	}{
		"no runc":   {[]string{"ociwrap"}, []string{"--version"}, "ociwrap: find runc: "},
		"no bundle": {[]string{"ociwrap", "runc"}, []string{"create", "-b", "/absent", "id"}, "ociwrap: read the container's configuration: open /absent/config.json"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			dir := install(t, test.programs...)
			t.Setenv("PATH", dir)
			cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "ociwrap"), test.args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			g.Expect(cmd.Run()).NotTo(Succeed())
			g.Expect(stderr.String()).To(HavePrefix(test.want))
		})
	}
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestCheckConfig(t *testing.T) {
	flags := []string{"--add-runtime=draconform=/x/ociwrap", "--default-runtime=draconform", "--pidfile=/x/dockerd.pid"}
	for name, test := range map[string]struct {
		config string
		want   string
	}{
		"that sets other things":      {`{"storage-driver":"overlay2","log-opts":{"runtimes":"x"}}`, ""},
		"that sets a default runtime": {`{"default-runtime":"nvidia"}`, `sets "default-runtime"`},
		"that sets runtimes":          {`{"runtimes":{"nvidia":{"path":"/usr/bin/nvidia-container-runtime"}}}`, `sets "runtimes"`},
		"that sets a pid file":        {`{"pidfile":"/run/x.pid"}`, `sets "pidfile"`},
		"that cannot be parsed":       {`{"runtimes":`, "parse Docker's configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			path := filepath.Join(t.TempDir(), "daemon.json")
			write(path, test.config)
			err := checkConfig(path, flags)
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
	t.Run("that does not exist", func(t *testing.T) {
		NewWithT(t).Expect(checkConfig(filepath.Join(t.TempDir(), "daemon.json"), flags)).To(Succeed())
	})
}

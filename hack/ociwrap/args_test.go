// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestSubject(t *testing.T) {
	for line, want := range map[string]struct {
		path string
		kind kind
	}{
		// Calls of containerd's shim.
		"--root /run/moby --log /b/log.json --log-format json create --bundle /b --pid-file /b/init.pid id":         {"/b/config.json", configFile},
		"--root /run/moby --log /b/log.json exec --process /tmp/p --console-socket /tmp/s --detach --pid-file x id": {"/tmp/p", processFile},
		"--systemd-cgroup --root=/run/moby restore --image-path /i --work-path=/w -b /b --detach id":                {"/b/config.json", configFile},
		// All forms of a flag.
		"create --bundle=/b id": {"/b/config.json", configFile},
		"create -bundle /b id":  {"/b/config.json", configFile},
		"create -b /b id":       {"/b/config.json", configFile},
		"create -b=/b id":       {"/b/config.json", configFile},
		"exec --process=/p id":  {"/p", processFile},
		"exec -p /p id":         {"/p", processFile},
		"exec -p=/p id":         {"/p", processFile},
		// Defaults.
		"create id":           {"config.json", configFile},
		"run --detach id":     {"config.json", configFile},
		"exec id ls":          {"", processFile},
		"exec -t id ps -p 1":  {"", processFile},
		"exec -u 0 id sh -p":  {"", processFile},
		"exec -- id --p /etc": {"", processFile},
		// Values that look like a command or a flag.
		"--root create --log exec run -b /b id": {"/b/config.json", configFile},
		"--root create state id":                {"", configFile},
		"create id --bundle /b":                 {"/b/config.json", configFile},
		"create --pid-file --bundle -b /b id":   {"/b/config.json", configFile},
		// Other commands read no configuration.
		"":                              {"", configFile},
		"--version":                     {"", configFile},
		"--root":                        {"", configFile},
		"--log /l delete --force id":    {"", configFile},
		"kill id 9":                     {"", configFile},
		"start --bundle /b id":          {"", configFile},
		"update --resources - --root x": {"", configFile},
	} {
		t.Run(line, func(t *testing.T) {
			g := NewWithT(t)
			path, kind := subject(strings.Fields(line))
			g.Expect(path).To(Equal(want.path))
			if path != "" {
				g.Expect(kind).To(Equal(want.kind))
			}
		})
	}
}

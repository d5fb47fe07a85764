// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestInfoOfDocker(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t, answer{Args: "info", Stdout: `{
		"ID":"AVXR:ZV3H","Containers":0,"Driver":"overlay2","CgroupDriver":"systemd","CgroupVersion":"2","NCPU":2,
		"MemTotal":25273458688,"DockerRootDir":"/var/lib/docker","ServerVersion":"20.10.24+dfsg1","DefaultRuntime":"runc",
		"SecurityOptions":["name=seccomp,profile=default","name=apparmor","name=rootless","name=cgroupns"],"ServerErrors":null}`})
	info, err := e.Info(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info).To(Equal(Info{
		Version:         "20.10.24+dfsg1",
		CgroupVersion:   2,
		StorageDriver:   "overlay2",
		DataRoot:        "/var/lib/docker",
		Rootless:        true,
		MemoryBytes:     25273458688,
		Cores:           2,
		SecurityOptions: []string{"apparmor", "cgroupns", "rootless", "seccomp"},
		DefaultRuntime:  "runc",
	}))
	g.Expect(f.Lines()).To(Equal([]string{"docker info --format {{json .}}"}))
}

func TestInfoOfPodman(t *testing.T) {
	g := NewWithT(t)
	e, f := newPodman(t, answer{Args: "info", Stdout: `{
		"host":{"arch":"amd64","cgroupManager":"systemd","cgroupVersion":"v2","cpus":8,"memTotal":16594087936,
			"ociRuntime":{"name":"crun","path":"/usr/bin/crun"},
			"security":{"apparmorEnabled":false,"capabilities":"CAP_CHOWN","rootless":true,"seccompEnabled":true,"selinuxEnabled":true}},
		"store":{"graphDriverName":"overlay","graphRoot":"/home/user/.local/share/containers/storage"},
		"version":{"APIVersion":"5.4.2","Version":"5.4.2"}}`})
	info, err := e.Info(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info).To(Equal(Info{
		Version:         "5.4.2",
		CgroupVersion:   2,
		StorageDriver:   "overlay",
		DataRoot:        "/home/user/.local/share/containers/storage",
		Rootless:        true,
		MemoryBytes:     16594087936,
		Cores:           8,
		SecurityOptions: []string{"rootless", "seccomp", "selinux"},
		DefaultRuntime:  "crun",
	}))
	g.Expect(f.Lines()).To(Equal([]string{"podman info --format json"}))
}

func TestInfoErrors(t *testing.T) {
	for name, test := range map[string]struct {
		answer answer
		want   string
	}{
		"of a client that succeeds without an engine": {
			answer{Stdout: `{"ServerErrors":["Cannot connect to the Docker daemon"]}`},
			"engine: parse docker info: the engine does not answer: Cannot connect to the Docker daemon",
		},
		"of a client that prints something else": {
			answer{Stdout: `<html>`},
			"engine: parse docker info: invalid character",
		},
		"of the engine": {
			answer{Exit: 1, Stderr: "permission denied\n"},
			"engine: docker info --format {{json .}}: exit status 1: permission denied",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := newDocker(t, test.answer)
			_, err := e.Info(t.Context())
			NewWithT(t).Expect(err).To(MatchError(HavePrefix(test.want)))
		})
	}
}

func TestCgroupVersion(t *testing.T) {
	g := NewWithT(t)
	for s, want := range map[string]int{"1": 1, "2": 2, "v1": 1, "v2": 2, "": 0, "hybrid": 0} {
		g.Expect(cgroupVersion(s)).To(Equal(want), s)
	}
}

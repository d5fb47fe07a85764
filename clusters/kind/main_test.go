// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"path/filepath"
	"testing"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/internal/fake"
)

func TestMain(m *testing.M) { fake.Main(m) }

// Prefixes of the arguments of docker.
const (
	listOurs       = "ps --all --filter label=draconform.dev/run --filter label=io.x-k8s.kind.cluster --format"
	listNames      = "ps -a --filter label=io.x-k8s.kind.cluster --format"
	listNodes      = "ps -a --filter label=io.x-k8s.kind.cluster=c --format"
	listContainers = "ps --all --quiet"
)

// engineInfo describes a rootful engine on cgroup v2 whose disk is not
// accessible.
var engineInfo = fake.Answer{Args: "info", Stdout: `{"CgroupVersion":"2","DockerRootDir":"/nonexistent/draconform"}`}

// newProvider returns the provider of cluster c of run r1 on a fake engine.
func newProvider(t *testing.T, answers ...fake.Answer) (*Provider, *fake.Commands) {
	t.Helper()
	e, f := fake.Docker(t, engine.Find, answers...)
	return New(e, Options{Name: "c", Run: "r1", Workers: 1, Kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}), f
}

// objectsOf returns the answers of an engine with a container and an image of
// run r1, and the same of run r2.
func objectsOf() []fake.Answer {
	return []fake.Answer{
		{Args: listContainers, Stdout: "c1\nc2\n"},
		{Args: "container inspect", Stdout: "c1\tr1\t/c-worker\nc2\tr2\t/d-worker\n"},
		{Args: "image ls", Stdout: "sha256:i1\nsha256:i2\n"},
		{Args: "image inspect", Stdout: "sha256:i1\tr1\tdraconform/run:r1 \nsha256:i2\tr2\tdraconform/run:r2 \n"},
	}
}

const (
	removeContainer = "docker rm --force --volumes c1"
	removeImage     = "docker image rm --force --no-prune sha256:i1"
)

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/draconform/draconform/clusters/internal/fake"
)

type answer = fake.Answer

// TestMain runs a fake docker or podman if the binary was started as one.
func TestMain(m *testing.M) { fake.Main(m) }

// newFake sets PATH to an empty folder for fake clients for the duration of a
// test.
func newFake(t *testing.T) *fake.Commands {
	t.Helper()
	t.Setenv(EnvName, "")
	return fake.NewCommands(t)
}

// newDocker returns an engine whose client is a fake with these answers.
func newDocker(t *testing.T, answers ...answer) (*Engine, *fake.Commands) {
	t.Helper()
	return &Engine{name: docker}, newFake(t).Command(docker, answers...)
}

func newPodman(t *testing.T, answers ...answer) (*Engine, *fake.Commands) {
	t.Helper()
	return &Engine{name: podman}, newFake(t).Command(podman, answers...)
}

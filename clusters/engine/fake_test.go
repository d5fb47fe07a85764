package engine

import (
	"testing"

	"github.com/draconform/draconform/clusters/internal/fakecmd"
)

type answer = fakecmd.Answer

// TestMain runs a fake docker or podman if the binary was started as one.
func TestMain(m *testing.M) { fakecmd.Main(m) }

// newFake sets PATH to an empty folder for fake clients for the duration of a
// test.
func newFake(t *testing.T) *fakecmd.Fake {
	t.Helper()
	t.Setenv(EnvName, "")
	return fakecmd.New(t)
}

// newDocker returns an engine whose client is a fake with these answers.
func newDocker(t *testing.T, answers ...answer) (*Engine, *fakecmd.Fake) {
	t.Helper()
	return &Engine{name: docker}, newFake(t).Command(docker, answers...)
}

func newPodman(t *testing.T, answers ...answer) (*Engine, *fakecmd.Fake) {
	t.Helper()
	return &Engine{name: podman}, newFake(t).Command(podman, answers...)
}

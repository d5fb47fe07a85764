package plugin_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/fakedriver/plugin"
)

const (
	processDir     = "DRACONFORM_TEST_PLUGIN_DIR"
	processAddress = "DRACONFORM_TEST_PLUGIN_ADDRESS"
)

// TestMain lets this program be a plugin for tests that end its process.
func TestMain(m *testing.M) {
	if dir := os.Getenv(processDir); dir != "" {
		os.Exit(beProcess(dir, os.Getenv(processAddress)))
	}
	os.Exit(m.Run())
}

// processClaims are those that a process knows, which has an API server of its
// own.
func processClaims() []runtime.Object {
	return []runtime.Object{newClaim(driver, "gpu-0", "own"), newClaim(second, "gpu-0", "other"), newClaim(second, "gpu-1", "late")}
}

func beProcess(dir, address string) (code int) {
	config := configIn(dir, address, newServer(processClaims()...))
	config.Exit = os.Exit
	if err := plugin.Run(context.Background(), config); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
	}
	return 3 // Nothing asks it to end in peace.
}

// process is a plugin in a process of its own.
type process struct {
	*running
	command *exec.Cmd
}

// startProcess starts a plugin whose files are in a directory.
func startProcess(t *testing.T) *process {
	t.Helper()
	config, server := newConfig(t, processClaims()...)
	self, err := os.Executable()
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	command := exec.CommandContext(t.Context(), self)
	command.Env = append(os.Environ(), processDir+"="+filepath.Dir(config.PluginsDir), processAddress+"="+config.Address)
	command.Stderr = t.Output()
	g.Expect(command.Start()).To(Succeed())
	p := &process{connect(t, config, server), command}
	p.answers()
	return p
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

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

// TestMain runs a plugin instead of the tests if the environment requests it.
// Tests that terminate the process of a plugin use that.
func TestMain(m *testing.M) {
	if dir := os.Getenv(processDir); dir != "" {
		os.Exit(beProcess(dir, os.Getenv(processAddress)))
	}
	os.Exit(m.Run())
}

// processClaims returns the claims in the API server of a plugin process. Each
// process has its own API server.
func processClaims() []runtime.Object {
	return []runtime.Object{newClaim(driver, "gpu-0", "own"), newClaim(second, "gpu-0", "other"), newClaim(second, "gpu-1", "late")}
}

func beProcess(dir, address string) (code int) {
	config := configIn(dir, address, newServer(processClaims()...))
	config.Exit = func() { os.Exit(1) }
	if err := plugin.Run(context.Background(), config); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
	}
	return 3 // Run is not expected to return.
}

// process is a plugin in a separate process.
type process struct {
	*running
	command *exec.Cmd
}

// startProcess starts a plugin in a separate process with its files in a
// temporary directory.
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
	p.waitUntilReady()
	return p
}

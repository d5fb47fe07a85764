// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// importConfig configures a containerd that only stores images. It runs on the
// building host, needs no snapshotter, and does not affect the host's own
// containerd.
const importConfig = `version = 3
disabled_plugins = [
  "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri",
  "io.containerd.nri.v1.nri", "io.containerd.podsandbox.controller.v1.podsandbox", "io.containerd.monitor.task.v1.cgroups",
]
`

// importImages runs containerd on an empty root, imports an image layout into
// the namespace of the kubelet's images, and stops containerd. root then
// contains the content of a node's /var/lib/containerd. The layers stay packed.
// A node unpacks the images that it runs.
func importImages(ctx context.Context, containerdDir, layoutTar, root string) error {
	// The path of a Unix socket is limited to 107 bytes.
	temp, err := os.MkdirTemp("", "draconform-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	config, socket := filepath.Join(temp, "config.toml"), filepath.Join(temp, "c.sock")
	if err := os.WriteFile(config, []byte(importConfig), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	daemon := exec.CommandContext(ctx, filepath.Join(containerdDir, "containerd"),
		"--config", config, "--root", root, "--state", filepath.Join(temp, "state"), "--address", socket)
	daemon.Cancel = func() error { return daemon.Process.Signal(os.Interrupt) }
	daemon.WaitDelay = 10 * time.Second
	var log strings.Builder
	daemon.Stderr = &log
	if err := daemon.Start(); err != nil {
		return fmt.Errorf("start containerd: %w", err)
	}
	importErr := importLayout(ctx, filepath.Join(containerdDir, "ctr"), socket, layoutTar)
	if err := daemon.Process.Signal(os.Interrupt); err != nil && importErr == nil {
		importErr = fmt.Errorf("stop containerd: %w", err)
	}
	waitErr := daemon.Wait()
	if importErr != nil {
		return fmt.Errorf("%w; containerd's log: %s", importErr, lastLines(log.String(), 10))
	}
	if waitErr != nil {
		return fmt.Errorf("containerd: %w: %s", waitErr, lastLines(log.String(), 10))
	}
	return nil
}

func importLayout(ctx context.Context, ctr, socket, layoutTar string) error {
	var out []byte
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		var err error
		out, err = exec.CommandContext(ctx, ctr, "--address", socket, "version").CombinedOutput()
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for containerd: %w: %s", err, out)
	}
	out, err = exec.CommandContext(ctx, ctr, "--address", socket, "--namespace", "k8s.io",
		"images", "import", "--no-unpack", "--local", layoutTar).CombinedOutput()
	if err != nil {
		return fmt.Errorf("import images: %w: %s", err, out)
	}
	return nil
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

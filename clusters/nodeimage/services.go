// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"embed"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/modgraph"
)

// sources are the sources in this package that are compiled into the image,
// without tests.
//
//go:embed files/containerd.go.txt files/coredns.go.txt files/kubernetes.go.txt podroutes/kernel.go podroutes/main.go podroutes/node.go
var sources embed.FS

// pause is the artifact with Kubernetes' own pause program.
func pause(version string) artifact {
	return artifact{
		name: "pause",
		key:  key(version),
		what: "pause of Kubernetes " + version,
		build: func(ctx context.Context, dir string, _ func(string, ...any)) error {
			kubernetesDir, err := gobuild.Download(ctx, modgraph.Module(version))
			if err != nil {
				return err
			}
			source := filepath.Join(kubernetesDir, "build", "pause", "linux", "pause.c")
			cmd := exec.CommandContext(ctx, "gcc", "-Os", "-static", "-s", "-DVERSION=v"+version,
				"-o", filepath.Join(dir, "pause"), source)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("compile %s: %w: %s", source, err, out)
			}
			return nil
		},
	}
}

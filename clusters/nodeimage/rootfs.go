// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/clusters/internal/oci"
	"github.com/draconform/draconform/manifests"
)

// productHook is kind's hook that gives pods the product name and UUID of their
// node instead of those of the machine.
const productHook = "/kind/bin/mount-product-files.sh"

// crictl replaces the crictl command that kind's log collection calls. The
// module of crictl cannot be built on its own.
const crictl = `#!/bin/sh
if [ "$1" = images ]; then exec ctr --namespace k8s.io images list; fi
echo "crictl: only 'images' is known here; ctr --namespace k8s.io has the rest" >&2
exit 1
`

// rootfs returns the entries that are added to the base filesystem: kind's
// files and units, the container runtime, and the release's commands.
func (b *builder) rootfs(ctx context.Context, built map[string]string) ([]oci.Entry, error) {
	entries, err := kindFiles(filepath.Join(b.kindDir, "images", "base", "files"))
	if err != nil {
		return nil, err
	}
	units, err := enabledUnits(filepath.Join(b.kindDir, "images", "base", "files", "etc", "systemd", "system"),
		"kubelet.service", "containerd.service", "undo-mount-hacks.service")
	if err != nil {
		return nil, err
	}
	spec, err := baseRuntimeSpec(ctx, filepath.Join(built["runtime"], "ctr"))
	if err != nil {
		return nil, err
	}
	entries = append(entries, units...)
	entries = append(entries,
		// The unit registers binary formats with the kernel of the host.
		oci.Entry{Path: "/etc/systemd/system/systemd-binfmt.service", Link: "/dev/null", Mode: 0o777},
		oci.Entry{Path: "/etc/containerd/cri-base.json", Data: spec, Mode: 0o644},
		oci.Entry{Path: "/etc/kubernetes/manifests", Dir: true, Mode: 0o755},
		oci.Entry{Path: "/kind/version", Data: []byte("v" + b.release.Version), Mode: 0o644},
		oci.Entry{Path: "/usr/local/bin/crictl", Data: []byte(crictl), Mode: 0o755},
	)
	for _, name := range []string{"default-cni.yaml", "default-storage.yaml"} {
		content, err := manifests.FS.ReadFile("node/" + name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, oci.Entry{Path: "/kind/manifests/" + name, Data: content, Mode: 0o644})
	}
	for _, name := range []string{"containerd", "containerd-shim-runc-v2"} {
		entries = append(entries, oci.Entry{Path: "/usr/local/bin/" + name, Source: filepath.Join(built["runtime"], name), Mode: 0o755})
	}
	var commands []string
	for _, name := range nodeCommands {
		commands = append(commands, "/usr/bin/"+name)
	}
	entries = append(entries, oci.OneFile(filepath.Join(built["kubernetes"], program), 0o755, commands...)...)
	entries = append(entries,
		oci.Entry{Path: "/usr/local/bin/ctr", Link: "containerd", Mode: 0o777},
		oci.Entry{Path: "/opt/cni/bin", Link: "/usr/lib/cni", Mode: 0o777},
	)
	return entries, nil
}

// kindFiles returns the files of kind's base image with the same permissions as
// in kind's build: only scripts are executable.
func kindFiles(dir string) ([]oci.Entry, error) {
	return oci.Tree(dir, "/", func(name string, info fs.FileInfo) fs.FileMode {
		if info.IsDir() || strings.HasPrefix(name, "usr/local/bin/") || strings.HasPrefix(name, "kind/bin/") {
			return 0o755
		}
		return 0o644
	})
}

// enabledUnits returns the links that "systemctl enable" creates for units.
func enabledUnits(dir string, units ...string) ([]oci.Entry, error) {
	var entries []oci.Entry
	for _, unit := range units {
		content, err := os.ReadFile(filepath.Join(dir, unit))
		if err != nil {
			return nil, err
		}
		enabled := false
		for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
			target, ok := strings.CutPrefix(lines.Text(), "WantedBy=")
			if !ok {
				continue
			}
			enabled = true
			entries = append(entries, oci.Entry{
				Path: fmt.Sprintf("/etc/systemd/system/%s.wants/%s", target, unit),
				Link: "/etc/systemd/system/" + unit,
				Mode: 0o777,
			})
		}
		if !enabled {
			return nil, fmt.Errorf("unit %s of kind's base image has no WantedBy: how to enable it is unknown", unit)
		}
	}
	return entries, nil
}

// baseRuntimeSpec returns the specification that containerd derives every
// container's specification from. It is containerd's default with kind's hook
// and without resource limits. Containers then inherit the limits of the node.
func baseRuntimeSpec(ctx context.Context, ctr string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, ctr, "oci", "spec").Output()
	if err != nil {
		return nil, fmt.Errorf("get the default container specification of ctr: %w", err)
	}
	var spec map[string]any
	if err := json.Unmarshal(out, &spec); err != nil {
		return nil, fmt.Errorf("read the default container specification: %w", err)
	}
	process, ok := spec["process"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the default container specification of %s has no process", ctr)
	}
	delete(process, "rlimits")
	hooks, _ := spec["hooks"].(map[string]any)
	if hooks == nil {
		hooks = map[string]any{}
		spec["hooks"] = hooks
	}
	created, _ := hooks["createContainer"].([]any)
	hooks["createContainer"] = append(created, map[string]any{"path": productHook})
	return json.Marshal(spec)
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package controlplane builds the commands of a control plane for tests, from their modules.
package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/internal/gocmd"
)

// Commands that can be built.
const (
	KubeAPIServer = "kube-apiserver"
	Etcd          = "etcd"
)

const (
	kubernetesModule = "k8s.io/kubernetes"
	etcdModule       = "go.etcd.io/etcd/server/v3"
	etcdClientModule = "go.etcd.io/etcd/client/pkg/v3"
)

// Binaries returns a folder with the commands. If KUBEBUILDER_ASSETS is set, it returns that folder. Otherwise it
// builds the commands from their modules, in the versions that the module of the working directory requires, and
// caches them in the user's cache directory.
func Binaries(ctx context.Context, commands ...string) (string, error) {
	if dir := os.Getenv("KUBEBUILDER_ASSETS"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	kube, err := required(ctx, kubernetesModule)
	if err != nil {
		return "", err
	}
	storage, err := required(ctx, etcdClientModule)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "draconform", "control-plane", "kube-apiserver-"+kube.Version+"-etcd-"+storage.Version)
	for _, command := range commands {
		switch command {
		case KubeAPIServer:
			err = build(ctx, dir, command, module.Version{Path: kubernetesModule, Version: kube.Version}, kubernetesModule+"/cmd/kube-apiserver")
		case Etcd:
			err = build(ctx, dir, command, module.Version{Path: etcdModule, Version: storage.Version}, etcdModule)
		default:
			err = fmt.Errorf("build %q: not a command of the control plane", command)
		}
		if err != nil {
			return "", err
		}
	}
	return dir, nil
}

// build builds one command of another module, which determines the versions of all dependencies. It does nothing if
// the command exists already.
func build(ctx context.Context, dir, name string, m module.Version, command string) error {
	binary := filepath.Join(dir, name)
	if _, err := os.Stat(binary); err == nil || !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(dir, name+"-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	mod, err := throwaway(ctx, m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "go.mod"), mod, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "building %s %s, once; this takes minutes\n", name, m.Version)
	err = gocmd.Build(ctx, work, func(gocmd.Done) {}, []string{"CGO_ENABLED=0", "GOWORK=off", "GOFLAGS="},
		"-mod=mod", "-buildvcs=false", "-ldflags=-s -w "+stamp(m), "-o", name, command)
	if err != nil {
		return fmt.Errorf("build %s: %w", m, err)
	}
	return os.Rename(filepath.Join(work, name), binary)
}

// stamp returns linker flags that make Kubernetes report its release.
func stamp(m module.Version) string {
	if m.Path != kubernetesModule {
		return ""
	}
	return "-X k8s.io/component-base/version.gitVersion=" + m.Version
}

// throwaway returns the go.mod of a main module that requires m. Kubernetes requires the modules of its own
// repository at v0.0.0; they are published as v0.X.Y for v1.X.Y.
func throwaway(ctx context.Context, m module.Version) ([]byte, error) {
	var f modfile.File
	if err := errors.Join(f.AddModuleStmt("draconform.dev/throwaway"), f.AddGoStmt("1.26.0")); err != nil {
		return nil, err
	}
	f.AddNewRequire(m.Path, m.Version, false)
	if m.Path == kubernetesModule {
		found, err := required(ctx, kubernetesModule)
		if err != nil {
			return nil, err
		}
		content, err := os.ReadFile(found.GoMod)
		if err != nil {
			return nil, err
		}
		theirs, err := modfile.ParseLax(found.GoMod, content, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range theirs.Require {
			if r.Mod.Version == "v0.0.0" {
				if err := f.AddReplace(r.Mod.Path, "", r.Mod.Path, strings.Replace(m.Version, "v1.", "v0.", 1)); err != nil {
					return nil, err
				}
			}
		}
	}
	return f.Format()
}

type moduleInfo struct{ Version, GoMod string }

// required returns a module in the version that this module requires.
func required(ctx context.Context, path string) (moduleInfo, error) {
	var info moduleInfo
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-json", path).Output()
	if err != nil {
		return info, fmt.Errorf("find module %s: %w", path, err)
	}
	return info, json.Unmarshal(out, &info)
}

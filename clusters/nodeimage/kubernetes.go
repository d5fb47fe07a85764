// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/modgraph"
)

const (
	etcdModule    = "go.etcd.io/etcd/server/v3"
	coreDNSModule = "github.com/coredns/coredns"
)

// nodeCommands are installed on the node itself.
var nodeCommands = []string{"kubeadm", "kubectl", "kubelet"}

// componentCommands run from the images that kubeadm uses.
var componentCommands = []string{"kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler"}

// kubernetes is the artifact with a release's commands as one program. dir is the
// folder of the release's module.
func kubernetes(version, dir string) (artifact, error) {
	return kubernetesCommands("kubernetes", version, dir, "", slices.Concat(nodeCommands, componentCommands))
}

// kubernetesCommands is the artifact with some of a release's commands as one
// program for an operating system. An empty goos means that of nodes.
func kubernetesCommands(artifactName, version, dir, goos string, names []string) (artifact, error) {
	commands := map[string]string{}
	for _, name := range names {
		commands[name] = filepath.Join(dir, "cmd", name)
	}
	files, err := oneProgram(commands, goos)
	if err != nil {
		return artifact{}, err
	}
	return binaries(artifactName, "Kubernetes "+version, version, gobuild.Build{
		Require:  []module.Version{modgraph.Module(version)},
		Sources:  files,
		Commands: []string{"./" + program},
		LDFlags:  modgraph.Stamps(version),
		GOOS:     goos,
	}), nil
}

// etcd is the artifact with the etcd version of a release's kubeadm. It is not part
// of the program of the release's commands, because its client and
// API modules may be newer than those of the release. An empty goos means that of
// nodes.
func etcd(version, goos string, images kubeadmImages) artifact {
	return binaries("etcd", "etcd "+images.etcdVersion(), version, gobuild.Build{
		Require:  []module.Version{{Path: etcdModule, Version: images.etcdVersion()}},
		Commands: []string{etcdModule},
		GOOS:     goos,
	})
}

// etcdBinary is the name of etcd's binary in its artifact: the last element of
// the import path, without the major version.
const etcdBinary = "server"

// kubeadmImages are the versions of the images that kubeadm uses in addition to
// Kubernetes' own, as defined in its constants.
type kubeadmImages struct {
	etcd    string // a tag, for example 3.7.0-0
	coreDNS string // a tag, for example v1.14.6
}

// etcdVersion returns the version in etcd's tag without the image's revision.
func (i kubeadmImages) etcdVersion() string {
	version, _, _ := strings.Cut(i.etcd, "-")
	return "v" + version
}

func readKubeadmImages(kubernetesDir string) (kubeadmImages, error) {
	path := filepath.Join(kubernetesDir, "cmd", "kubeadm", "app", "constants", "constants.go")
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return kubeadmImages{}, fmt.Errorf("read kubeadm's constants: %w", err)
	}
	constants := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if value, err := strconv.Unquote(lit.Value); err == nil {
				constants[spec.Names[0].Name] = value
			}
		}
		return true
	})
	images := kubeadmImages{etcd: constants["DefaultEtcdVersion"], coreDNS: constants["CoreDNSVersion"]}
	if images.etcd == "" || images.coreDNS == "" {
		return kubeadmImages{}, fmt.Errorf("%s names no DefaultEtcdVersion or no CoreDNSVersion", path)
	}
	return images, nil
}

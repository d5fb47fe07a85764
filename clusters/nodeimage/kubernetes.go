package nodeimage

import (
	"context"
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
)

const (
	kubernetesModule = "k8s.io/kubernetes"
	etcdModule       = "go.etcd.io/etcd/server/v3"
	coreDNSModule    = "github.com/coredns/coredns"

	etcdCommand = "etcd"
)

// nodeCommands are installed on the node itself.
var nodeCommands = []string{"kubeadm", "kubectl", "kubelet"}

// componentCommands run from the images that kubeadm uses.
var componentCommands = []string{"kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler"}

// kubernetes is the stage that builds a release's commands and the etcd version
// of its kubeadm as one program, in the module graph of the release.
func kubernetes(version string, images kubeadmImages) stage {
	b := gobuild.Build{
		Require: []module.Version{
			{Path: kubernetesModule, Version: "v" + version},
			{Path: etcdModule, Version: images.etcdVersion()},
		},
		Commands: []string{"./" + program},
		LDFlags:  versionStamps(version),
	}
	what := fmt.Sprintf("Kubernetes %s and etcd %s", version, images.etcdVersion())
	return binaries("kubernetes", what, version, b, func(ctx context.Context) (map[string][]byte, error) {
		return kubernetesSources(ctx, b.Require)
	})
}

// kubernetesSources downloads the modules of Kubernetes and etcd and returns
// the source of one program with all of their commands.
func kubernetesSources(ctx context.Context, modules []module.Version) (map[string][]byte, error) {
	dirs := map[string]string{}
	for _, m := range modules {
		dir, err := gobuild.Download(ctx, m)
		if err != nil {
			return nil, err
		}
		dirs[m.Path] = dir
	}
	commands := map[string]string{etcdCommand: dirs[etcdModule]}
	for _, name := range slices.Concat(nodeCommands, componentCommands) {
		commands[name] = filepath.Join(dirs[kubernetesModule], "cmd", name)
	}
	return oneProgram(commands)
}

// versionStamps returns the linker flags that set the release that the commands
// report.
func versionStamps(version string) string {
	parts := strings.Split(version, ".")
	stamps := map[string]string{"gitVersion": "v" + version, "gitMajor": parts[0], "gitMinor": parts[1], "gitTreeState": "archive"}
	var flags []string
	for _, name := range []string{"gitVersion", "gitMajor", "gitMinor", "gitTreeState"} {
		flags = append(flags, fmt.Sprintf("-X k8s.io/component-base/version.%s=%s", name, stamps[name]))
	}
	return strings.Join(flags, " ")
}

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

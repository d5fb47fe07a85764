package nodeimage

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters/internal/gobuild"
)

const kubernetesModule = "k8s.io/kubernetes"

// nodeCommands are installed on the node itself.
var nodeCommands = []string{"kubeadm", "kubectl", "kubelet"}

// componentCommands run from images of the registry kubeadm asks for.
var componentCommands = []string{"kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler"}

// kubernetes is the stage that builds a release's commands.
func kubernetes(version string) stage {
	return stage{
		name: "kubernetes",
		key:  key(version, nodeCommands, componentCommands),
		what: "Kubernetes " + version,
		build: func(ctx context.Context, dir string, update func(string)) error {
			m := module.Version{Path: kubernetesModule, Version: "v" + version}
			fetched, err := gobuild.Download(ctx, m)
			if err != nil {
				return err
			}
			staging, err := stagingModules(fetched.GoMod, version)
			if err != nil {
				return err
			}
			var commands []string
			for _, name := range append(append([]string{}, nodeCommands...), componentCommands...) {
				commands = append(commands, kubernetesModule+"/cmd/"+name)
			}
			return gobuild.Build{
				Dir:      filepath.Join(dir, "module"),
				Require:  []module.Version{m},
				Replace:  staging,
				Commands: commands,
				Out:      dir,
				LDFlags:  versionStamps(version),
			}.Run(ctx, update)
		},
	}
}

// stagingModules are the modules that live in Kubernetes' own repository.
// Kubernetes replaces them by folders which its module does not contain; they
// are published as v0.X.Y for Kubernetes v1.X.Y.
func stagingModules(goMod, version string) ([]module.Version, error) {
	content, err := os.ReadFile(goMod)
	if err != nil {
		return nil, err
	}
	f, err := modfile.ParseLax(goMod, content, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", goMod, err)
	}
	_, rest, ok := strings.Cut(version, ".")
	if !ok {
		return nil, fmt.Errorf("kubernetes version %q is not of the form 1.X.Y", version)
	}
	// ParseLax leaves replacements out, but every one of them is a required
	// module of the version v0.0.0.
	var staging []module.Version
	for _, r := range f.Require {
		if strings.HasPrefix(r.Mod.Path, "k8s.io/") && r.Mod.Version == "v0.0.0" {
			staging = append(staging, module.Version{Path: r.Mod.Path, Version: "v0." + rest})
		}
	}
	if len(staging) == 0 {
		return nil, fmt.Errorf("%s requires no module at v0.0.0: how this release is laid out is unknown", goMod)
	}
	return staging, nil
}

// versionStamps makes the commands report their release.
func versionStamps(version string) string {
	parts := strings.Split(version, ".")
	stamps := map[string]string{"gitVersion": "v" + version, "gitMajor": parts[0], "gitMinor": parts[1], "gitTreeState": "archive"}
	var flags []string
	for _, name := range []string{"gitVersion", "gitMajor", "gitMinor", "gitTreeState"} {
		flags = append(flags, fmt.Sprintf("-X k8s.io/component-base/version.%s=%s", name, stamps[name]))
	}
	return strings.Join(flags, " ")
}

// kubeadmImages are the versions of the images that kubeadm asks for beside
// Kubernetes' own, as its constants name them.
type kubeadmImages struct {
	etcd    string // a tag such as 3.7.0-0
	coreDNS string // a tag such as v1.14.6
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

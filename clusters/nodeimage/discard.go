package nodeimage

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/self"
)

// schedulerModule is the folder of the nested module that builds a scheduler
// from Kubernetes' packages.
const schedulerModule = "allocator/scheduler"

// discard removes packages of Kubernetes from the go command's cache if only
// the finished program in dir needs them. They are two fifths of the cache
// after the build of one release. Other releases use other versions of them.
func discard(ctx context.Context, dir string) (int64, error) {
	needed := map[string]bool{}
	ofKubernetes := kubernetesModule + "/"
	for _, module := range []string{"", schedulerModule} {
		source, err := self.Source(ctx, module, "")
		if err != nil || !source.Checkout {
			continue // no other build uses these packages
		}
		packages, err := source.Packages(ctx)
		if err != nil {
			return 0, err
		}
		for _, path := range packages {
			needed[path] = true
		}
		ofKubernetes = "k8s.io/" // all modules that Kubernetes' repository publishes
	}
	b := gobuild.Build{Dir: filepath.Join(dir, "module"), Commands: []string{"./" + program}}
	return b.Discard(ctx, func(path string) bool { return strings.HasPrefix(path, ofKubernetes) && !needed[path] })
}

package nodeimage

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/self"
)

// schedulerModule is the folder of the module whose scheduler is built from
// Kubernetes' packages.
const schedulerModule = "allocator/scheduler"

// discard removes those packages of Kubernetes from the go command's cache that
// nothing but the program in a folder, which is finished, was compiled from: two
// fifths of all that is in that cache after one release. Other releases have
// other versions of them.
func discard(ctx context.Context, dir string) (int64, error) {
	needed := map[string]bool{}
	ofKubernetes := kubernetesModule + "/"
	for _, module := range []string{"", schedulerModule} {
		source, err := self.Source(ctx, module, "")
		if err != nil || !source.Checkout {
			continue // then nothing else is built from these packages
		}
		packages, err := source.Packages(ctx)
		if err != nil {
			return 0, err
		}
		for _, path := range packages {
			needed[path] = true
		}
		ofKubernetes = "k8s.io/" // all that Kubernetes' repository publishes
	}
	b := gobuild.Build{Dir: filepath.Join(dir, "module"), Commands: []string{"./" + program}}
	return b.Discard(ctx, func(path string) bool { return strings.HasPrefix(path, ofKubernetes) && !needed[path] })
}

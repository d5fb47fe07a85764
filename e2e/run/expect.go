package run

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
)

// specCount is a number of specs. It is used to estimate how long they take.
type specCount int

// Count implements [progress.Counted].
func (n specCount) Count() int { return int(n) }

func (n specCount) String() string {
	if n == 1 {
		return "1 spec"
	}
	return fmt.Sprintf("%d specs", int(n))
}

// expect reports the estimated time until the first spec starts on a kind
// cluster and until the verdict.
func (k *kindCluster) expect(ctx context.Context) error {
	chosen, err := k.Selection.Choose(k.specs)
	if err != nil {
		return err
	}
	var parts []progress.Part
	if k.NodeImage == "" {
		if parts, err = nodeimage.Expected(ctx, nodeimage.Options{Engine: k.engine, Release: k.release}); err != nil {
			return err
		}
	}
	beside := 0
	for _, s := range chosen {
		if together(s) {
			beside++
		}
	}
	judged := []progress.Part{{Name: "spec", Times: beside}, {Name: "spec alone", Times: len(chosen) - beside}}
	k.Progress.Expect(
		progress.Goal{What: "the first spec", Parts: append(parts, progress.Part{Name: "cluster"})},
		progress.Goal{What: "the verdict", Parts: judged},
	)
	return nil
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kindrun

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/internal/gocmd"
)

// Switches are the named changes of the suite's programs that a build tag adds and
// an environment variable turns on: see the packages fault and variant.
type Switches struct {
	// BuildTag and Variable are the build tag and the environment variable.
	BuildTag, Variable string
	// Off is the tag of images in which all are off.
	Off string
}

// Image returns an image whose command has changes on. Its tag is the given one.
// All images of one command share its binary.
func (s Switches) Image(image images.Image, tag string, on ...string) images.Image {
	image.Tags = []string{s.BuildTag}
	image.Ref = "draconform.dev/" + image.Binary() + ":" + cmp.Or(tag, s.Off)
	if len(on) > 0 {
		image.Env = []string{s.Variable + "=" + strings.Join(on, ",")}
	}
	return image
}

// Command builds a draconform command into a file, which changes the programs of the
// clusters that it creates as an environment variable of its own selects: see
// fault.Breaks and variant.Varies.
func (s Switches) Command(ctx context.Context, task *progress.Task, path string) error {
	err := gocmd.Build(ctx, ".", func(done gocmd.Done) { task.Update("%s", done) }, []string{"CGO_ENABLED=0"},
		"-tags", s.BuildTag, "-o", path, "./e2e/cmd/draconform")
	if err != nil {
		return task.Fail(fmt.Errorf("build the command: %w", err))
	}
	task.Done("built")
	return nil
}

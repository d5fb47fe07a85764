// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kindrun

import (
	"cmp"
	"strings"

	"github.com/draconform/draconform/clusters/images"
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

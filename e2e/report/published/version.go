// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	// tags matches versions such as v1.2, 1.2.3 and v1.2.3-rc.1. The group has
	// what follows the numbers.
	tags = regexp.MustCompile(`^v?[0-9]+(?:\.[0-9]+)+((?:[-+._][0-9A-Za-z.+_-]+)?)$`)
	// digests matches the digest of an image, and the id of a commit.
	digests = regexp.MustCompile(`^(sha256:[0-9a-f]{64}|[0-9a-f]{40})$`)
	// separators split what follows the numbers of a version.
	separators = regexp.MustCompile(`[-+._]`)
)

// moving are the names of branches and of tags that change.
var moving = []string{
	"canary", "dev", "devel", "develop", "development", "dirty", "edge", "head", "latest", "main", "master", "next", "nightly", "snapshot", "tip", "trunk", "unstable",
}

// notFixed states why a version does not identify one build of a driver. It is
// empty if it does.
func notFixed(version string) string {
	if digests.MatchString(version) {
		return ""
	}
	if slices.Contains(moving, strings.ToLower(version)) {
		return fmt.Sprintf("version %q is a branch or a tag that changes", version)
	}
	match := tags.FindStringSubmatch(version)
	if match == nil {
		return fmt.Sprintf("version %q is neither a tag such as v1.2.3 nor a digest", version)
	}
	for _, part := range separators.Split(match[1], -1) {
		if slices.Contains(moving, strings.ToLower(part)) {
			return fmt.Sprintf("version %q ends with %q, so that it is not a release", version, part)
		}
	}
	return ""
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/draconform/draconform/e2e/suite/env"
)

// refusals are messages of an API server about an object that something in the cluster does not
// admit and that no spec judges, and of a kubelet about images. The only group of an expression is
// the name of what refused. Policies of the API server itself (ValidatingAdmissionPolicy) are not
// among them: the failure names the policy.
var refusals = []struct {
	message *regexp.Regexp
	reason  string
}{
	{regexp.MustCompile(`admission webhook "([^"\n]+)" denied the request[^\n]*`), "webhook %s of the cluster does not admit what the spec needs"},
	{regexp.MustCompile(`failed calling webhook "([^"\n]+)"[^\n]*`), "webhook %s of the cluster did not answer"},
	{regexp.MustCompile(`is waiting: (ErrImagePull|ImagePullBackOff|ErrImageNeverPull|RegistryUnavailable)[^\n;]*`), "a node could not pull the image of a container (%s)"},
	{regexp.MustCompile(`(?:exceeded|failed) quota: ([^\s,:]+)[^\n]*`), "quota %s, which is not the spec's, does not admit what the spec needs"},
	{regexp.MustCompile(`is forbidden: \[?((?:minimum|maximum) \S+ usage per \w+|\S+ max limit to request ratio per \w+)[^\n]*`), "a LimitRange of the cluster does not admit what the spec needs (%s)"},
	{regexp.MustCompile(`unable to validate against any (security context constraint)[^\n]*`), "no %s of the cluster admits what the spec needs"},
}

// refused returns why a failure of a spec is not conclusive, because something in the cluster
// that is not judged has refused an object. It is empty for any other failure.
func refused(failure string) string {
	for _, r := range refusals {
		for _, found := range r.message.FindAllStringSubmatch(failure, -1) {
			if found[1] != env.OwnQuota {
				return fmt.Sprintf(r.reason, found[1]) + ": " + strings.TrimSpace(found[0])
			}
		}
	}
	return ""
}

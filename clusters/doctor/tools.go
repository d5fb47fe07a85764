// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

// mmdebstrap is only needed to build a node image that no registry provides.
const notOnPath = "not on PATH, which matters where node images have to be built"

func checkGo(r Readings) *Result {
	const name = "Go toolchain"
	if r.GoVersion.Err != nil {
		return warn(name, "not on PATH, which matters where images or control planes have to be built, as those of \"draconform run\"", "install Go: https://go.dev/doc/install")
	}
	return ok(name, r.GoVersion.Value)
}

func checkMmdebstrap(r Readings) *Result {
	const name = "mmdebstrap"
	switch {
	case r.Mmdebstrap.Err == nil:
		return ok(name, r.Mmdebstrap.Value)
	case r.CanInstall:
		return ok(name, "not installed; apt-get can do that once it is needed")
	}
	return warn(name, notOnPath, "on Debian or Ubuntu, install it with: sudo apt-get install mmdebstrap")
}

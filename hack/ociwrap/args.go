// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strings"
)

// kind is the type of a configuration file.
type kind int

const (
	configFile  kind = iota // config.json: describes the container, with the process in one field
	processFile             // process.json: describes only the process
)

// valued contains runc's flags that take a value. The value must not be parsed
// as the command or as an argument.
var valued = map[string]bool{
	// global flags
	"log": true, "log-format": true, "root": true, "criu": true, "rootless": true,
	// flags of create, run and restore
	"bundle": true, "b": true, "console-socket": true, "pidfd-socket": true, "pid-file": true, "preserve-fds": true,
	"image-path": true, "work-path": true, "parent-path": true, "manage-cgroups-mode": true, "empty-ns": true,
	"lsm-profile": true, "lsm-mount-context": true,
	// flags of exec
	"process": true, "p": true, "cwd": true, "env": true, "e": true, "user": true, "u": true, "additional-gids": true,
	"g": true, "process-label": true, "apparmor": true, "cap": true, "c": true, "cgroup": true,
}

// subject returns the file that runc reads capabilities from when it is called
// with args. The file is "" if there is none.
func subject(args []string) (string, kind) {
	_, rest := flags(args)
	if len(rest) == 0 {
		return "", configFile
	}
	switch command, rest := rest[0], rest[1:]; command {
	case "create", "run", "restore":
		// The container's name may come before, between or after the flags.
		bundle := "."
		for len(rest) > 0 {
			var set map[string]string
			if set, rest = flags(rest); len(rest) > 0 {
				rest = rest[1:]
			}
			bundle = either(set, "bundle", "b", bundle)
		}
		return filepath.Join(bundle, "config.json"), configFile
	case "exec":
		// The arguments after the container's name are the user's command line.
		// Its flags are not flags of runc.
		set, _ := flags(rest)
		return either(set, "process", "p", ""), processFile
	}
	return "", configFile
}

// flags parses flags up to the first argument that is not a flag. It returns
// the flags with their values, and the remaining arguments.
func flags(args []string) (set map[string]string, rest []string) {
	set = map[string]string{}
	for len(args) > 0 {
		arg := args[0]
		if len(arg) < 2 || arg[0] != '-' {
			return set, args
		}
		args = args[1:]
		if arg == "--" {
			return set, args
		}
		name, value, inline := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if valued[name] && !inline && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		set[name] = value
	}
	return set, nil
}

// either returns the value of a flag by its long or its short name, or the
// default.
func either(set map[string]string, long, short, otherwise string) string {
	if value, ok := set[long]; ok {
		return value
	}
	if value, ok := set[short]; ok {
		return value
	}
	return otherwise
}
